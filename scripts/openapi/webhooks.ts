import type { GenericSchema } from "valibot";
import {
  eventDelisted,
  eventChanged,
  eventMatched,
  runCompletedEvent,
  webhookTestEvent,
} from "../../tools/documents/examples/events.ts";
import { eventSchemas } from "./event-schema.ts";
import { type JsonObject, jsonSchema } from "../../tools/documents/json-schema.ts";
import { named } from "./named-schemas.ts";

interface EventText {
  readonly summary: string;
  readonly description: string;
  readonly example: unknown;
}

/**
 * The checks that a receiver makes on every request. The page `/docs/webhooks` contains them as
 * code.
 */
const verification = [
  "**Verify the signature.** `Service-Signature` is `t=<unix seconds>,v1=<hex>`. Compute the " +
    "HMAC-SHA256 over `<t>.<raw body>` with the whole secret of the endpoint (`whsec_...`) as the " +
    "key. Compare it in constant time with every `v1`: there are two while a rotated secret " +
    "overlaps. Refuse a `t` that differs from your clock by more than 300 seconds.",
  "```python\nimport hashlib, hmac, time\n\n\n" +
    "def is_genuine(header: str, body: bytes, secret: str) -> bool:\n" +
    '    parts = [part.split("=", 1) for part in header.split(",")]\n' +
    '    t = next(value for name, value in parts if name == "t")\n' +
    "    if abs(time.time() - int(t)) > 300:\n        return False\n" +
    '    expected = hmac.new(secret.encode(), t.encode() + b"." + body, hashlib.sha256).hexdigest()\n' +
    '    return any(name == "v1" and hmac.compare_digest(value, expected) for name, value in parts)\n```',
  "The headers `webhook-id`, `webhook-timestamp` and `webhook-signature` follow the Standard " +
    "Webhooks convention: their libraries verify them too.",
  "**Response.** Return a 2xx status. The service retries after any other response except " +
    "410. A test has no retries.",
].join("\n\n");

const part =
  "An event has at most 500 items. `parts` is the number of events of this type in the run, and `part` " +
  "is the number of this event among them.";

const texts: Readonly<Record<keyof typeof eventSchemas, EventText>> = {
  "watchlist.product.changed": {
    summary: "Tracked fields of items changed",
    description: part,
    example: eventChanged,
  },
  "watchlist.product.matched": {
    summary: "Items matched a route that notifies",
    description: part,
    example: eventMatched,
  },
  "watchlist.product.delisted": {
    summary: "Items were delisted",
    description: "Sent once per item; a delisted item is not read again.",
    example: eventDelisted,
  },
  "watchlist.run.completed": {
    summary: "A run ended",
    description:
      "The last event of every run, including a run that was skipped for lack of credits.",
    example: runCompletedEvent,
  },
  "webhook.test": {
    summary: "A test delivery",
    description:
      "Sent when you call `POST /v1/webhook_endpoints/{id}/test` without `type`: once, without retries.",
    example: webhookTestEvent,
  },
};

/**
 * Returns the requests that the service sends to webhook endpoints, by event type, as OpenAPI
 * webhooks.
 */
export function webhooks(): JsonObject {
  return Object.fromEntries(
    Object.entries(eventSchemas).map(([type, schema]) => {
      const { summary, description, example } = texts[type as keyof typeof eventSchemas];
      return [type, event(type, { schema, summary, example, description })];
    }),
  );
}

interface EventParts extends EventText {
  readonly schema: GenericSchema;
}

const event = (
  type: string,
  { schema, summary, description, example }: EventParts,
): JsonObject => ({
  post: {
    operationId: camelCased(type),
    tags: ["Webhooks"],
    summary,
    description: `${description}\n\n${verification}`,
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
        example: `t=1794528000,v1=${"0123456789abcdef".repeat(4)}`,
      },
    ],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: jsonSchema(schema, { direction: "output", named }),
          example,
        },
      },
    },
    responses: {
      "2XX": { description: "The receiver got the event." },
      "4XX": {
        description:
          "The attempt failed. The service retries it later, unless the status is 410 or the event is a test.",
      },
    },
  },
});

const camelCased = (type: string): string =>
  `on${type
    .split(".")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")}`;
