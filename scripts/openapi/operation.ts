import type { GenericSchema } from "valibot";
import type { HeaderName } from "./headers.ts";

/** Groups of operations, in the order in which the document and its page list them. */
export const tags = {
  Items:
    "Calls that read products and offers. Each is charged per item and takes one concurrency slot.",
  Platforms: "Platforms that the service reads, and prices.",
  Watchlists: "Lists of items that are read on a schedule.",
  Webhooks: "Webhook endpoints, which receive the events of runs, and the log of their deliveries.",
  Export: "The S3 bucket to which the service writes every event.",
  Account: "Balance, usage, ledger and API keys.",
  Structured: "Announced endpoints for structured data; they return 501.",
  Meta: "The health check, the OpenAPI document, the documentation pages and the dashboard.",
} as const;
export type Tag = keyof typeof tags;

/** Statuses that refuse a call with an error body. */
export type RefusalStatus =
  | 400
  | 401
  | 402
  | 403
  | 404
  | 409
  | 413
  | 422
  | 429
  | 500
  | 501
  | 502
  | 503;

/** The description and an example value of a parameter or header. */
export interface Parameter {
  readonly description: string;
  readonly example: string;
}

/** A success response of an operation. */
export interface Answer {
  readonly description: string;
  /** The schema of the JSON body. */
  readonly schema?: GenericSchema;
  /** The media type of a body that is not JSON. Such a body has no `schema`. */
  readonly mediaType?: string;
  readonly example?: unknown;
  readonly headers?: readonly HeaderName[];
}

/** An operation of the document. The route table states who may call it. */
export interface Operation {
  /** `operationId`, in camel case: generated clients name their functions after it. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  /** The description, in Markdown paragraphs. */
  readonly description: string;
  /** Path parameters by name. */
  readonly path?: Readonly<Record<string, Parameter>>;
  /** A valibot object: each entry is a query parameter. */
  readonly query?: GenericSchema;
  /** Examples of query parameters by name. */
  readonly queryExamples?: Readonly<Record<string, unknown>>;
  /** Optional query parameters that the code samples have, because no call works without them. */
  readonly sampleQuery?: readonly string[];
  /** Request headers by name; all optional. */
  readonly headers?: Readonly<Record<string, Parameter>>;
  readonly body?: {
    readonly schema: GenericSchema;
    readonly examples: Readonly<Record<string, unknown>>;
    /**
     * True if clients can omit the body.
     * @default false
     */
    readonly optional?: boolean;
  };
  readonly answers: Readonly<Record<number, Answer>>;
  /** Refusals in addition to those that result from the route's access and from the body. */
  readonly refusals?: readonly RefusalStatus[];
  /**
   * True if a repeat changes and charges nothing more, so that clients can repeat a call whose
   * response is lost.
   * @default true for an operation with an idempotency key. For any other operation, true if it
   * reads no items and its method is not POST.
   */
  readonly repeatable?: boolean;
  /** True for a call that charges per item. */
  readonly itemCall?: boolean;
  /**
   * False for a public operation whose response must not be stored by caches.
   * @default true for a public operation
   */
  readonly cached?: false;
}
