/**
 * Generates the types of the clients in `clients` from the OpenAPI document, and sets the version of
 * both packages to the version of the service.
 */
import { runCommand } from "../tools/command-line/command-line.ts";
import { writePython } from "./clients/python.ts";
import { writeTypescript } from "./clients/typescript.ts";

const commandLine = {
  name: "npm run clients",
  about:
    "Generates the types of the TypeScript and Python clients from the OpenAPI document. Downloads the generators from npm and PyPI.",
  options: {},
  examples: [""],
} as const;

await runCommand(commandLine, async () => {
  await writeTypescript();
  await writePython();
});
