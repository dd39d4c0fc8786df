import {
  ApiError,
  Client,
  readEvents,
  type ReadAllOptions,
  s3Store,
  SignatureError,
} from "../../../clients/typescript/source/index.ts";
import type { ApiAnswer } from "../../../tools/customer/api-client.ts";
import { packagedClient } from "./packaged.ts";
import type { OperationCall, Row, TourClient } from "./tour-client.ts";

/** Creates a client of the tour from the TypeScript package. */
export function typescriptClient(baseUrl: string, apiKey: string): TourClient {
  let last = { status: 0, headers: new Headers() };
  const client = new Client({
    baseUrl,
    apiKey,
    // Keeps the status and the headers for the tour, because results do not contain them.
    async fetch(input, init) {
      const response = await fetch(input, init);
      last = { status: response.status, headers: response.headers };
      return response;
    },
  });
  return packagedClient(
    {
      async call({ operation, ...input }: OperationCall): Promise<ApiAnswer> {
        try {
          const body = await client.call(operation as "getWatchlist", input as never);
          return { ...last, body: { ...body } };
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          const { status, code, message, param } = error;
          return { status, headers: last.headers, body: { error: { code, message, param } } };
        }
      },
      list: ({ operation, path, query }) =>
        operation === "listEvents"
          ? entries(client.events.all(query))
          : entries(client.list(operation as "listChanges", { path, query } as never)),
    },
    {
      name: "the TypeScript client",
      readAll: (platform, ids) =>
        entries(client.products.readAll(ids, { platform } as ReadAllOptions)),
      async accepts({ body, headers }, secrets) {
        try {
          client.webhooks.verify(body, headers, secrets);
          return true;
        } catch (error) {
          if (!(error instanceof SignatureError)) throw error;
          return false;
        }
      },
      exported: ({ name: bucket, ...access }, prefix) =>
        entries(readEvents(s3Store({ bucket, region: "us-east-1", ...access }), { prefix })),
    },
    async () => {},
  );
}

async function entries(all: AsyncIterable<object>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const one of all) rows.push({ ...one });
  return rows;
}
