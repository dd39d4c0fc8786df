/**
 * Fuzzes the running service with valid and invalid requests generated from its OpenAPI document:
 * `npm run test:contract [-- <options of st run>]`. The service must accept exactly what the
 * document allows, except for `test/contract/exceptions.json`. The same seed generates the same
 * requests. Exits with 1 if there is a finding; with 0 and a message if Python is missing.
 */
import { fileURLToPath } from "node:url";
import { installContractPython, runCommand } from "../tools/contract/command.ts";
import { startContractWorld } from "../tools/contract/world.ts";

const folder = fileURLToPath(new URL("../test/contract", import.meta.url));
const settings = `${folder}/schemathesis.toml`;
/** Upper bound of the duration, for slow machines. */
const secondsMax = 180;

async function main(): Promise<number> {
  // Otherwise every call writes a line between the findings.
  process.env["POWERTOOLS_LOG_LEVEL"] ??= "SILENT";
  const installed = await installContractPython();
  if (installed.outcome === "absent") {
    process.stdout.write(`not run: schemathesis cannot be installed here (${installed.why})\n`);
    return 0;
  }
  const { baseUrl, apiKey, stop } = await startContractWorld();
  try {
    const target = [`${baseUrl}/v1/openapi.json`, "--url", baseUrl];
    const key = ["--header", `Authorization: Bearer ${apiKey}`];
    const bounds = ["--max-time", String(secondsMax)];
    return await runCommand(
      "st",
      [`--config-file=${settings}`, "run", ...target, ...key, ...bounds, ...process.argv.slice(2)],
      {
        binaries: installed.binaries,
        variables: { SCHEMATHESIS_HOOKS: "hooks", PYTHONPATH: folder },
        cwd: folder,
      },
    );
  } finally {
    await stop();
  }
}

process.exitCode = await main();
