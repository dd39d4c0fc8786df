import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { root } from "../../../scripts/clients/document.ts";
import { installClientPython } from "../../../scripts/clients/python.ts";
import { startContractWorld } from "../../../tools/contract/world.ts";
import { apiClient } from "../../../tools/customer/api-client.ts";
import type { World } from "../../../tools/local/world.ts";
import { codeBlocks } from "../../readme/code-blocks.ts";

const page = "docs/clients.md";
/** True in a nightly run, which reads more IDs. */
const isNightly = process.env["NIGHTLY"] === "1";
const count = isNightly ? 50_000 : 20_000;
const ids = Array.from({ length: count }, (_, n) => String(8_000_000 + n));
/** The defaults of the clients on this platform. */
const [idsPerCall, callsAtOnce] = [1_000, 5];
/** The number of answered item calls after which the test kills the reader. */
const killAfterCalls = isNightly ? 20 : 8;

let world: World;
beforeAll(async () => {
  world = await startContractWorld();
});
afterAll(() => world.stop());

interface Result {
  readonly id: string;
  readonly status: string;
}
/** Returns true for a result that the service charges. */
const isCharged = ({ status }: Result): boolean => status === "ok" || status === "not_found";

/**
 * Starts a proxy of the service. It keeps the results of all item calls that the service answered.
 */
async function startProxy(onAnswer: (calls: number) => void) {
  const answers: { readonly results: readonly Result[]; readonly credits: number }[] = [];
  let inProgress = 0;
  const server = createServer(async (request, response) => {
    inProgress += 1;
    const { method = "", url = "", headers } = request;
    const sent = method === "POST" ? await text(request) : undefined;
    const answer = await fetch(`${world.baseUrl}${url}`, {
      method,
      headers: {
        authorization: headers.authorization ?? "",
        // The service closes idle connections, and a call on such a connection fails.
        connection: "close",
        ...(sent && { "content-type": "application/json" }),
      },
      ...(sent && { body: sent }),
    });
    const content = Buffer.from(await answer.arrayBuffer());
    const isItemCall = sent !== undefined && answer.ok;
    if (isItemCall) answers.push(JSON.parse(content.toString()));
    response.writeHead(answer.status, {
      "content-type": "application/json",
      "content-length": content.byteLength,
      "x-service-credits": answer.headers.get("x-service-credits") ?? "0",
    });
    // Half of the response is on its way when the reader is killed.
    response.write(content.subarray(0, content.byteLength / 2));
    if (isItemCall) onAnswer(answers.length);
    response.end(content.subarray(content.byteLength / 2));
    inProgress -= 1;
  });
  // With the short default, a client could use a connection just when the server closes it.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    inProgress: () => inProgress,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

const spent = async (): Promise<number> =>
  Number((await apiClient(world.baseUrl, world.apiKey).get("/account")).body["credits_spent"]);

/** A program of the docs. */
interface Reader {
  readonly command: string;
  readonly program: string;
  readonly code: string;
}

/** How a reader ends after a signal. */
interface End {
  readonly signal: "SIGKILL" | "SIGINT";
  readonly exit: readonly [code: number | null, signal: string | null];
  readonly printed: string;
}
const killed: End = { signal: "SIGKILL", exit: [null, "SIGKILL"], printed: "" };

/** Runs a reader of the docs, ends it in the middle, and runs it again to its end. */
async function endAndContinue({ command, program, code }: Reader, end: End): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "reader-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "ids.txt"), `${ids.join("\n")}\n`);
  writeFileSync(join(folder, program), code);
  let kill = (): void => {};
  const proxy = await startProxy((calls) => {
    if (calls === killAfterCalls) kill();
  });
  onTestFinished(() => proxy.stop());
  const reader = () =>
    spawn(command, [program], {
      cwd: folder,
      stdio: ["ignore", "inherit", "pipe"],
      env: {
        ...process.env,
        RPD_BASE_URL: proxy.baseUrl,
        RPD_API_KEY: world.apiKey,
        PYTHONPATH: join(root, "clients/python"),
        PYTHONDONTWRITEBYTECODE: "1",
      },
    });
  const spentBefore = await spent();

  const first = reader();
  kill = () => void first.kill(end.signal);
  const printed = text(first.stderr);
  expect(await once(first, "exit")).toEqual(end.exit);
  expect(await printed).toBe(end.printed);
  kill = () => {};
  const stored = readResults(folder).length;
  expect(stored).toBeGreaterThan(0);
  expect(stored).toBeLessThan(ids.length);
  // The service answers the calls in progress, although their reader was killed.
  await expect.poll(proxy.inProgress).toBe(0);
  const lost = proxy.answers
    .flatMap(({ results }) => results)
    .filter(({ id }) => ids.indexOf(id) >= stored);
  expect(lost.length).toBeGreaterThan(0);
  expect(lost.length).toBeLessThanOrEqual((callsAtOnce + 1) * idsPerCall);
  const second = reader();
  const complaints = text(second.stderr);
  expect(await once(second, "exit")).toEqual([0, null]);
  expect(await complaints).toBe("");

  const results = readResults(folder);
  expect(results.map(({ id }) => id)).toEqual(ids);
  const charged = [...results, ...lost].filter(isCharged).length;
  expect(proxy.answers.reduce((sum, { credits }) => sum + credits, 0)).toBe(charged);
  await expect.poll(spent).toBe(spentBefore + charged);
}

/** Returns the results in the complete lines of the reader's file. */
const readResults = (folder: string): readonly Result[] =>
  readFileSync(join(folder, "products.jsonl"), "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Result);

/** Returns the reader of the docs for Python, or the reason why it cannot run. */
async function pythonReader(): Promise<Reader | string> {
  const python = await installClientPython();
  if (python.outcome === "absent")
    return `The reader with the Python client did not run: ${python.why}`;
  const code = codeBlocks(page, "python")[1] ?? "";
  return { command: python.python, program: "reader.py", code };
}

describe("a program that reads the products of an ID file, and is stopped and started again", () => {
  it("stores the result of each ID exactly once with the TypeScript client, and pays twice only for interrupted calls", async () => {
    const source = JSON.stringify(join(root, "clients/typescript/source/index.ts"));
    const code = (codeBlocks(page, "ts")[1] ?? "").replace('"retail-product-data"', source);
    await endAndContinue({ command: process.execPath, program: "reader.mts", code }, killed);
  });

  it("stores the result of each ID exactly once with the Python client, and pays twice only for interrupted calls", async ({
    skip,
  }) => {
    const reader = await pythonReader();
    if (typeof reader === "string") skip(reader);
    else await endAndContinue(reader, killed);
  });

  it("prints how to continue and no traceback after Ctrl-C, if it uses the Python client", async ({
    skip,
  }) => {
    const reader = await pythonReader();
    const printed = "Stopped. Start the program again to continue.\n";
    if (typeof reader === "string") skip(reader);
    else await endAndContinue(reader, { signal: "SIGINT", exit: [1, null], printed });
  });
});
