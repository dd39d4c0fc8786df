/**
 * Generates the OpenAPI document, the documentation pages and their assets, which the meta function
 * serves, and `docs/errors.md`.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { runCommand } from "../tools/command-line/command-line.ts";
import { progressOf } from "../tools/command-line/progress.ts";
import { generatedFiles, generatedFolder } from "./generated-documents.ts";

const commandLine = {
  name: "npm run openapi",
  about: "Writes the OpenAPI document and the documentation pages into functions/meta/generated.",
  options: {},
  examples: [""],
} as const;

const compress = (text: string): Buffer =>
  brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text),
    },
  });

await runCommand(commandLine, async () => {
  const files = await generatedFiles();
  rmSync(generatedFolder, { recursive: true, force: true });
  const progress = progressOf(files.length, { everyMs: 5_000 });
  for (const { path, text } of files) {
    progress.begin(path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, path.endsWith(".br") ? compress(text) : text);
  }
});
