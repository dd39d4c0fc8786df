import { readFile } from "node:fs/promises";
import * as v from "valibot";
import { publicDocument } from "../http/public-document.ts";
import { route } from "../http/route.ts";

const documentSchema = v.looseObject({
  servers: v.tuple([v.looseObject({ url: v.string() })]),
});

let reading: Promise<v.InferOutput<typeof documentSchema>> | undefined;

/** Reads the document at the first request, because other routes do not need it. */
async function read(): Promise<v.InferOutput<typeof documentSchema>> {
  const text = await readFile(new URL("generated/openapi.json", import.meta.url), "utf8");
  return v.parse(documentSchema, JSON.parse(text));
}

/** `GET /v1/openapi.json`. The document's server is the address that the client called. */
export const openApiRoute = route({
  async handle({ baseUrl }) {
    reading ??= read().catch((error: unknown) => {
      // A failed read is not cached, so the next request reads the document again.
      reading = undefined;
      throw error;
    });
    const document = await reading;
    const url = baseUrl.replace(/\/v1$/, "");
    return publicDocument({ ...document, servers: [{ ...document.servers[0], url }] });
  },
});
