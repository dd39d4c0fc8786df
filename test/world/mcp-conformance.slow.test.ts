import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestWorld, type World } from "../support/local-world.ts";

const execute = promisify(execFile);
const suite = new URL(
  "../../node_modules/@modelcontextprotocol/conformance/dist/index.js",
  import.meta.url,
).pathname;

/** The scenarios of the conformance suite for a server with tools and without sessions. */
const applicable = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"];

const fixtureTool =
  "calls a tool that only the suite's example server has, such as test_simple_text";
const sessions = "tests streams of a session, which the server does not have";
const noCapability = "tests a capability that the server does not declare";

/** The other scenarios, by the reason why they do not apply. */
const notApplicable: Readonly<Record<string, readonly string[]>> = {
  [fixtureTool]: [
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-with-logging",
    "tools-call-error",
    "tools-call-with-progress",
    "tools-call-sampling",
    "tools-call-elicitation",
    "json-schema-2020-12",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
  ],
  [sessions]: ["server-sse-multiple-streams", "server-sse-polling"],
  [noCapability]: [
    "logging-set-level",
    "completion-complete",
    "resources-list",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "resources-subscribe",
    "resources-unsubscribe",
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
  ],
};

let world: World;
let results: string;
beforeAll(async () => {
  world = await startTestWorld();
  results = mkdtempSync(join(tmpdir(), "mcp-conformance-"));
});
afterAll(async () => {
  await world.stop();
  rmSync(results, { recursive: true });
});

const run = async (...options: readonly string[]): Promise<string> =>
  (await execute(process.execPath, [suite, ...options], { encoding: "utf8" })).stdout;

describe("the MCP conformance suite", () => {
  it("contains only scenarios that are listed as applicable or as not applicable", async () => {
    const listed = (await run("list", "--server")).matchAll(/^ {2}- ([\w-]+)/gm);
    const known = [...applicable, ...Object.values(notApplicable).flat()];
    expect(new Set([...listed].map(([, name]) => name))).toEqual(new Set(known));
  });

  it.each(applicable)(
    "passes the scenario %s against /mcp of the local world",
    async (scenario) => {
      // The client of the suite sends no headers, so the key is in the query.
      const url = `${world.baseUrl}/mcp?api_key=${world.apiKey}`;
      const output = await run("server", "--url", url, "--scenario", scenario, "-o", results);
      expect(output).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/);
    },
  );
});
