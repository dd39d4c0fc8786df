import { join } from "node:path";
import { docsPages } from "./docs/pages.ts";
import { openApiDocument } from "./openapi/document.ts";
import { errorsPage } from "../tools/documents/errors-page.ts";

/**
 * The folder of generated files. They are committed, so a deployment does not need the generator.
 */
export const generatedFolder = join(import.meta.dirname, "../functions/meta/generated");

interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** Returns the paths and contents of all generated files. */
export function generatedFiles(): readonly GeneratedFile[] {
  return [
    { path: join(generatedFolder, "openapi.json"), text: json(openApiDocument()) },
    { path: join(generatedFolder, "pages.json"), text: json(docsPages()) },
    { path: join(import.meta.dirname, "../docs/errors.md"), text: errorsPage },
  ];
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
