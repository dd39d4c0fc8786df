/** Writes the API's description and the documentation's pages, which the meta function serves. */
import { mkdirSync, writeFileSync } from "node:fs";
import { generatedFiles, generatedFolder } from "./openapi/generated.ts";

mkdirSync(generatedFolder, { recursive: true });
for (const { path, text } of generatedFiles()) writeFileSync(path, text);
