import { eventSchemas } from "./event-schema.ts";
import { type JsonObject, jsonSchema } from "../../tools/documents/json-schema.ts";
import { named } from "./named-schemas.ts";

interface EventText {
  readonly summary: string;
  readonly description: string;
}

const texts: Readonly<Record<keyof typeof eventSchemas, EventText>> = {
  "watchlist.product.changed": {
    summary: "Tracked fields of items changed",
    description: "At most 500 items per delivery; `part` of `parts`.",
  },
  "watchlist.product.matched": {
    summary: "Items matched a route that notifies",
    description: "At most 500 items per delivery; `part` of `parts`.",
  },
  "watchlist.product.delisted": {
    summary: "Items were delisted",
    description: "Sent once per item; a delisted item is not read again.",
  },
  "watchlist.run.completed": {
    summary: "A run ended",
    description: "The last event of every run, also of one that was skipped for lack of credits.",
  },
  "webhook.test": {
    summary: "A test delivery",
    description: "Sent on request, once, without retries.",
  },
};

/** What the service sends to registered webhook endpoints, by event type. */
export function webhooks(): JsonObject {
  return Object.fromEntries(
    Object.entries(eventSchemas).map(([type, schema]) => [
      type,
      {
        post: {
          operationId: camelCased(type),
          tags: ["Webhooks"],
          ...texts[type as keyof typeof eventSchemas],
          security: [],
          parameters: [
            {
              name: "Service-Signature",
              in: "header",
              required: true,
              description:
                "`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<body>` with the endpoint's " +
                "secret. A second `v1=` during a rotation with overlap.",
              schema: { type: "string" },
            },
          ],
          requestBody: {
            required: true,
            content: {
              "application/json": { schema: jsonSchema(schema, { direction: "output", named }) },
            },
          },
          responses: {
            "2XX": { description: "Received. Anything else is tried again later." },
            "4XX": { description: "Not received; tried again later." },
          },
        },
      },
    ]),
  );
}

const camelCased = (type: string): string =>
  `on${type
    .split(".")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")}`;
