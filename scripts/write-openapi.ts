/** Generates the OpenAPI document and the documentation pages. The meta function serves them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { runCommand } from "../tools/command-line/command-line.ts";
import { generatedFiles, generatedFolder } from "./generated-documents.ts";

const commandLine = {
  name: "npm run openapi",
  about: "Writes the OpenAPI document and the documentation pages into functions/meta/generated.",
  options: {},
  examples: [""],
} as const;

await runCommand(commandLine, async () => {
  mkdirSync(generatedFolder, { recursive: true });
  for (const { path, text } of generatedFiles()) writeFileSync(path, text);
});
