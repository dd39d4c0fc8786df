import { join } from "node:path";
import { docsPages } from "./docs/pages.ts";
import { openApiDocument } from "./openapi/document.ts";

/** What is generated is committed, so that a deployment needs no generator. */
export const generatedFolder = join(import.meta.dirname, "../functions/meta/generated");

interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** Every generated file as it should stand. */
export function generatedFiles(): readonly GeneratedFile[] {
  return [
    { path: join(generatedFolder, "openapi.json"), text: json(openApiDocument()) },
    { path: join(generatedFolder, "pages.json"), text: json(docsPages()) },
  ];
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
