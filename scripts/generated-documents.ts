import { readFileSync } from "node:fs";
import { join } from "node:path";
import { documentation } from "./docs/pages.ts";
import { openApiDocument } from "./openapi/document.ts";
import { operations } from "./openapi/operations.ts";
import { releasesOf } from "./published/changelog.ts";
import { publishedSchemas } from "./published/event-schemas.ts";
import { llmsText } from "./published/llms.ts";
import { postmanCollection } from "./published/postman.ts";
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
export async function generatedFiles(): Promise<readonly GeneratedFile[]> {
  const { pages, assets } = documentation(
    Object.entries(operations).map(([key, { tag, summary }]) => ({ key, tag, summary })),
  );
  const openApi = `${JSON.stringify(openApiDocument(), null, 2)}\n`;
  const collection = await postmanCollection(JSON.parse(openApi));
  const changelog = readFileSync(join(import.meta.dirname, "../CHANGELOG.md"), "utf8");
  const published = {
    "changelog.json": lines({ object: "list", data: releasesOf(changelog) }),
    "llms.txt": llmsText(),
    "postman.json": lines(collection),
    ...Object.fromEntries(
      Object.entries(publishedSchemas).map(([name, schema]) => [
        `schemas/${name}.json`,
        lines(schema),
      ]),
    ),
  };
  return [
    { path: join(generatedFolder, "openapi.json"), text: openApi },
    ...Object.entries(published).map(([name, text]) => ({
      path: join(generatedFolder, `published/${name}`),
      text,
    })),
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

const lines = (content: object): string => `${JSON.stringify(content, null, 1)}\n`;
