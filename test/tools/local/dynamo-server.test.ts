import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { openDataFolder } from "../../../tools/local/data-folder.ts";
import { startDynamo } from "../../../tools/local/dynamo-server.ts";
import { temporaryFolder } from "./temporary-folder.ts";

it("the local DynamoDB stops the database process of an earlier local world, but no unrelated process", async () => {
  const folder = openDataFolder(temporaryFolder(), false);
  const left = spawn(process.execPath, [
    "-e",
    "setInterval(() => {}, 1000)",
    folder.file("dynamo.db"),
  ]);
  const stranger = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  const ended = once(left, "exit");
  onTestFinished(() => {
    left.kill("SIGKILL");
    stranger.kill("SIGKILL");
    folder.release();
  });
  writeFileSync(folder.file("dynamo.pid"), `${left.pid}\n`);

  const first = await startDynamo(folder);
  await ended;
  await first.stop();
  writeFileSync(folder.file("dynamo.pid"), `${stranger.pid}\n`);
  const second = await startDynamo(folder);
  onTestFinished(second.stop);

  expect(stranger.exitCode).toBeNull();
  expect(stranger.signalCode).toBeNull();
  expect(readFileSync(folder.file("dynamo.pid"), "utf8")).not.toBe(`${stranger.pid}\n`);
});
