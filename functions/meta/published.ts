import { readFile } from "node:fs/promises";
import { unknownId } from "../../shared/base/errors.ts";
import { eventTypes } from "../../shared/events/event.ts";
import { publicDocument } from "../http/public-document.ts";
import { type AnyRoute, type Reply, route } from "../http/route.ts";

/** Folder that `npm run openapi` writes, and that the deployment copies beside the bundled code. */
const folder = new URL("generated/published/", import.meta.url);

const json = "application/json";

const publishedFile = async (name: string, type: string): Promise<Reply> =>
  publicDocument(await readFile(new URL(name, folder), "utf8"), { "Content-Type": type });

/** `GET /v1/changelog`: the changes of each release, from CHANGELOG.md. */
export const changelogRoute: AnyRoute<unknown> = route({
  handle: () => publishedFile("changelog.json", json),
});

/** `GET /v1/postman.json`: the API as a Postman collection 2.1. */
export const postmanRoute: AnyRoute<unknown> = route({
  handle: () => publishedFile("postman.json", json),
});

/** `GET /llms.txt`: the list of documents for programs that read text. */
export const llmsRoute: AnyRoute<unknown> = route({
  handle: () => publishedFile("llms.txt", "text/plain; charset=utf-8"),
});

/** The names of the published schemas: one for each event type, and the manifest of an export. */
export const schemaNames: readonly string[] = [...eventTypes, "manifest"];

/** `GET /v1/schemas/{name}`: a JSON Schema. Its address is the same in all releases. */
export const schemaRoute: AnyRoute<unknown> = route({
  async handle({ path }) {
    const name = path["name"] ?? "";
    if (!schemaNames.includes(name)) {
      throw unknownId("Schema", name, `Use one of ${schemaNames.join(", ")}.`);
    }
    return publishedFile(`schemas/${name}.json`, "application/schema+json");
  },
});
