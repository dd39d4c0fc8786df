/**
 * Fuzzes the running service with valid and invalid requests generated from its OpenAPI document.
 * The service must accept exactly what the document allows, except for
 * `test/contract/exceptions.json`. The same seed generates the same requests. Exits with 1 if there
 * is a finding; with 0 and a message if Python is missing.
 */
import { fileURLToPath } from "node:url";
import { asksForHelp, helpOf, runMain } from "../tools/command-line/command-line.ts";
import { installContractPython, spawnCommand } from "../tools/contract/command.ts";
import { startContractWorld } from "../tools/contract/world.ts";

const folder = fileURLToPath(new URL("../test/contract", import.meta.url));
const settings = `${folder}/schemathesis.toml`;
/** The longest duration of the test, in seconds. A slow machine therefore sends fewer requests. */
const secondsMax = 180;

const commandLine = {
  name: "npm run test:contract",
  about:
    "Fuzzes the service with requests generated from its OpenAPI document, for at most 3 minutes.\n" +
    "All options go to `st run` of schemathesis, which also checks them.",
  options: {},
  examples: ["", "--seed 1", "--include-path /v1/products"],
};

async function main(): Promise<number> {
  if (asksForHelp(process.argv.slice(2))) {
    process.stdout.write(helpOf(commandLine));
    return 0;
  }
  // Silences the logger, because the log line of each call would appear between the findings.
  process.env["POWERTOOLS_LOG_LEVEL"] ??= "SILENT";
  const installed = await installContractPython();
  if (installed.outcome === "absent") {
    process.stdout.write(
      `The contract test was not run: schemathesis cannot be installed here (${installed.why}).\n`,
    );
    return 0;
  }
  const { baseUrl, apiKey, stop } = await startContractWorld();
  try {
    const target = [`${baseUrl}/v1/openapi.json`, "--url", baseUrl];
    const key = ["--header", `Authorization: Bearer ${apiKey}`];
    const bounds = ["--max-time", String(secondsMax)];
    return await spawnCommand(
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

await runMain(main);
