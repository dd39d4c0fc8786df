import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { SQSEvent } from "aws-lambda";
import { expect, it, onTestFinished } from "vitest";
import { startWorld } from "../../../tools/local/world.ts";
import { loadFixture } from "./fixture-handlers.ts";
import { fixtureStacks } from "./fixture-stacks.ts";
import { temporaryFolder } from "./temporary-folder.ts";

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it("a local world that kill -9 ends leaves no database process, and redelivers its pending messages after a restart", async () => {
  const dir = temporaryFolder();
  const child = spawn(
    process.execPath,
    [fileURLToPath(import.meta.resolve("./hanging-world.ts")), dir],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const database = Number(readFileSync(`${dir}/dynamo.pid`, "utf8"));
  expect(runs(database)).toBe(true);

  child.kill("SIGKILL");
  await once(child, "exit");
  await expect.poll(() => runs(database)).toBe(false);
  const seen: string[] = [];
  const counts: (string | undefined)[] = [];
  const world = await startWorld({
    dir,
    port: 0,
    fresh: false,
    stacks: async () => fixtureStacks,
    loadHandler: loadFixture({
      worker: async (event: SQSEvent) => {
        seen.push(...event.Records.map(({ body }) => body));
        counts.push(...event.Records.map(({ attributes }) => attributes.ApproximateReceiveCount));
      },
    }),
    seed: async () => ({ apiKey: "a", demoApiKey: "b" }),
  });
  onTestFinished(world.stop);

  await expect.poll(() => seen).toEqual(["survivor"]);
  expect(counts).toEqual(["2"]);
});
