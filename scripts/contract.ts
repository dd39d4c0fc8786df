/**
 * Fuzzes the running service with requests made from its OpenAPI document, valid ones and invalid
 * ones: `npm run test:contract [-- <options of st run>]`. What the document allows the service
 * accepts, and the reverse, but for `test/contract/exceptions.json`. The same seed draws the same
 * requests. Ends with 1 when there is a finding; with 0 and a line where Python is missing.
 */
import { fileURLToPath } from "node:url";
import { installContractPython, runCommand } from "./contract/command.ts";
import { inContractWorld } from "./contract/world.ts";

const folder = fileURLToPath(new URL("../test/contract", import.meta.url));
/** The fuzzing ends then, however slow the machine is. */
const secondsMax = 180;

async function main(): Promise<number> {
  const installed = await installContractPython();
  if (installed.outcome === "absent") {
    process.stdout.write(`not run: schemathesis cannot be installed here (${installed.why})\n`);
    return 0;
  }
  return inContractWorld(({ baseUrl, apiKey }) =>
    runCommand(
      "st",
      [
        ...["--config-file", `${folder}/schemathesis.toml`],
        ...["run", `${baseUrl}/v1/openapi.json`],
        ...["--url", baseUrl, "--header", `Authorization: Bearer ${apiKey}`],
        ...["--max-time", String(secondsMax)],
        ...process.argv.slice(2),
      ],
      {
        binaries: installed.binaries,
        variables: { SCHEMATHESIS_HOOKS: "hooks", PYTHONPATH: folder },
        cwd: folder,
      },
    ),
  );
}

process.exitCode = await main();
