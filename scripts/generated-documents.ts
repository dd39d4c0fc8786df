import { join } from "node:path";
import { documentation } from "./docs/pages.ts";
import { openApiDocument } from "./openapi/document.ts";
import { operations } from "./openapi/operations.ts";
import { errorsPage } from "../tools/documents/errors-page.ts";

/**
 * The folder of generated files. They are committed, so a deployment does not need the generator.
 */
export const generatedFolder = join(import.meta.dirname, "../functions/meta/generated");

interface GeneratedFile {
  /** The absolute path. A file whose name ends in `.br` is stored compressed. */
  readonly path: string;
  /** The content before compression. */
  readonly text: string;
}

/** Returns the paths and contents of all generated files. */
export function generatedFiles(): readonly GeneratedFile[] {
  const { pages, assets } = documentation(
    Object.entries(operations).map(([key, { tag, summary }]) => ({ key, tag, summary })),
  );
  const document = {
    path: join(generatedFolder, "openapi.json"),
    text: `${JSON.stringify(openApiDocument(), null, 2)}\n`,
  };
  return [
    document,
    { path: join(import.meta.dirname, "../docs/errors.md"), text: errorsPage },
    ...Object.entries(pages).map(([name, text]) => ({
      path: join(generatedFolder, `pages/${name}.html.br`),
      text,
    })),
    ...assets.map(({ name, content }) => ({
      path: join(generatedFolder, `assets/${name}.br`),
      text: content,
    })),
  ];
}
