/**
 * Fuzzes the running service with requests made from its OpenAPI document, valid ones and invalid
 * ones: `npm run test:contract [-- <options of st run>]`. What the document allows the service
 * accepts, and the reverse, but for `test/contract/exceptions.json`. The same seed draws the same
 * requests. Ends with 1 when there is a finding; with 0 and a line where Python is missing.
 */
import { fileURLToPath } from "node:url";
import { installContractPython, runCommand } from "../tools/contract/command.ts";
import { startContractWorld } from "../tools/contract/world.ts";

const folder = fileURLToPath(new URL("../test/contract", import.meta.url));
const settings = `${folder}/schemathesis.toml`;
/** The fuzzing ends then, however slow the machine is. */
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
