/**
 * Walks the whole line, twice: from a new account to a signed webhook and an object in the
 * customer's bucket, with the sandbox and with a products API replayed on this machine.
 * `npm run tour [-- --recordings <folder with recorded replies>]`
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { sandboxIds } from "../shared/sources/sandbox-catalogue.ts";
import type { SourceChoice } from "./local/sources.ts";
import { startWorld } from "./local/world.ts";
import { loadRecordedProducts, startReplayCatalog } from "./replay-catalog.ts";
import { type Narrator, narrator } from "./tour/narrator.ts";
import { type Ground, walk } from "./tour/walk.ts";

const fixtures = new URL("../test/fixtures/catalog", import.meta.url).pathname;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { recordings: { type: "string" } } });
  process.env["POWERTOOLS_LOG_LEVEL"] ??= "WARN";
  const started = Date.now();
  const tell = narrator(process.stdout);
  await tourSandbox(tell);
  await tourCatalog(values.recordings, tell);
  const seconds = ((Date.now() - started) / 1_000).toFixed(1);
  process.stdout.write(`\nThe tour is over: ${tell.checks()} checks held, ${seconds} s.\n`);
}
