/** Writes the OpenAPI document and the documentation pages, which the meta function serves. */
import { mkdirSync, writeFileSync } from "node:fs";
import { generatedFiles, generatedFolder } from "./generated-documents.ts";

mkdirSync(generatedFolder, { recursive: true });
for (const { path, text } of generatedFiles()) writeFileSync(path, text);
