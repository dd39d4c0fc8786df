import type { ServerResponse } from "node:http";
import type { StoreProduct, StoreVariant } from "./catalog.ts";
import type { ToolContent } from "./replies.ts";

/** A call that has no response yet. */
interface MisbehavingCall {
  readonly response: ServerResponse;
  /** The JSON-RPC ID of the call. */
  readonly id: unknown;
  /** The content of a correct reply. */
  readonly content: ToolContent;
}

const json = "application/json";

interface Sent {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

function send({ response }: MisbehavingCall, { status, body, headers = {} }: Sent): void {
  response.writeHead(status, { "Content-Type": json, ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: object;
}

const fail = (
  call: MisbehavingCall,
  error: RpcError,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): void => send(call, { status, body: { jsonrpc: "2.0", id: call.id, error }, headers });

const tooOften = { code: -32_000, message: "Rate limit exceeded" };

const sendResult = (call: MisbehavingCall, result: object): void =>
  send(call, { status: 200, body: { jsonrpc: "2.0", id: call.id, result } });

const reply = (call: MisbehavingCall, content: object): void =>
  sendResult(call, { structuredContent: content });

/** Sends server-sent events, one of them with the reply. */
function stream(call: MisbehavingCall, content: object): void {
  const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } };
  const done = { jsonrpc: "2.0", id: call.id, result: { structuredContent: content } };
  const lines = JSON.stringify(done, null, 1)
    .split("\n")
    .map((line) => `data: ${line}`);
  const body = [
    ": a comment",
    "",
    "event: message",
    `data: ${JSON.stringify(progress)}`,
    "",
    "event: message",
    ...lines,
    "",
    "",
  ];
  send(call, {
    status: 200,
    body: body.join("\r\n"),
    headers: { "Content-Type": "text/event-stream; charset=utf-8" },
  });
}

const changeProduct = (
  { content }: MisbehavingCall,
  change: (variant: StoreVariant) => object,
): ToolContent => ({
  ...content,
  products: content.products.map((product) => ({
    ...product,
    variants: product.variants.map((variant) => ({ ...variant, ...change(variant) })),
  })) as StoreProduct[],
});

const idsIn = ({ content }: MisbehavingCall): string[] =>
  content.products.flatMap(({ variants }) => variants.map(({ id }) => id));

const reportError = (call: MisbehavingCall, code: string, content: string): void =>
  reply(call, {
    ucp: { version: "2026-08-25", status: "error" },
    messages: [{ type: "error", code, content, severity: "unrecoverable" }],
  });

type Behaviors = Readonly<Record<string, (call: MisbehavingCall) => void>>;

/** Faults after which a store responds correctly to a retry. */
const temporary = {
  "429_seconds": (call) => fail(call, tooOften, { status: 429, headers: { "Retry-After": "1" } }),
  "429_body": (call) => fail(call, { ...tooOften, data: { retry_after: 1 } }, { status: 429 }),
  "200_busy": (call) => fail(call, { ...tooOften, data: { retry_after: 1 } }),
  "200_rate": (call) => fail(call, tooOften),
  "429_bare": (call) => send(call, { status: 429, body: "" }),
  "500": (call) => fail(call, { code: -32_603, message: "Internal error" }, { status: 500 }),
  reset: ({ response }) => void response.socket?.resetAndDestroy(),
} as const satisfies Behaviors;

/** Replies of stores that fail or refuse, and replies that are unusual but valid. */
const lasting = {
  "503": (call) => send(call, { status: 503, body: "" }),
  "400": (call) => send(call, { status: 400, body: "" }),
  redirect: (call) =>
    send(call, {
      status: 302,
      body: "",
      headers: { Location: "https://elsewhere.example/api/ucp/mcp" },
    }),
  hang: () => {},
  cut_off: (call) => {
    call.response.writeHead(200, { "Content-Type": json, "Content-Length": "1000000" });
    call.response.write("{", () => call.response.socket?.destroy());
  },
  page: (call) =>
    send(call, {
      status: 200,
      body: "<!doctype html><title>Wait</title>",
      headers: { "Content-Type": "text/html" },
    }),
  garbage: (call) => send(call, { status: 200, body: '{"jsonrpc": "2.0", "result": {' }),
  empty: (call) => send(call, { status: 200, body: "" }),
  no_result: (call) => send(call, { status: 200, body: { jsonrpc: "2.0", id: call.id } }),
  no_products: (call) => reply(call, { ucp: { version: "2026-08-25" } }),
  rate_params: (call) =>
    fail(call, { code: -32_602, message: "Invalid params: rate limit exceeded" }),
  rate_message: (call) => reportError(call, "rate_limited", "Limit exceeded"),
  unknown_tool: (call) => fail(call, { code: -32_601, message: "Method not found" }),
  internal_error: (call) => fail(call, { code: -32_603, message: "Internal error" }),
  profile_refused: (call) =>
    fail(call, {
      code: -32_001,
      message: "UCP discovery failed",
      data: { code: "profile_unreachable", content: "Unable to fetch agent profile" },
    }),
  version_refused: (call) =>
    fail(call, {
      code: -32_001,
      message: "Protocol version not supported",
      data: { code: "version_unsupported", content: "Supported: 2019-01-01" },
    }),
  incompatible: (call) => reportError(call, "capabilities_incompatible", "No common capability"),
  is_error: (call) =>
    sendResult(call, { isError: true, content: [{ type: "text", text: "The catalog is closed" }] }),
  all_not_found: (call) =>
    reply(call, {
      ucp: { version: "2026-08-25" },
      products: [],
      messages: idsIn(call).map((content) => ({ type: "info", code: "not_found", content })),
    }),
  ids_missing: (call) => reply(call, { ...call.content, products: [] }),
  streamed: (call) => stream(call, call.content),
  text_only: (call) =>
    sendResult(call, { content: [{ type: "text", text: JSON.stringify(call.content) }] }),
  other_currency: (call) =>
    reply(
      call,
      changeProduct(call, ({ price }) => ({ price: { ...price, currency: "EUR" } })),
    ),
  no_price: (call) =>
    reply(
      call,
      changeProduct(call, () => ({ price: undefined })),
    ),
} as const satisfies Behaviors;

const behaviors = { ...temporary, ...lasting };

/** The name of a fault, or of an unusual but valid reply. */
export type Misbehavior = keyof typeof behaviors;

/** Returns true for the name of a misbehavior. */
export const isMisbehavior = (name: string): name is Misbehavior => Object.hasOwn(behaviors, name);

/** The names of all misbehaviors. */
export const misbehaviors = Object.keys(behaviors).filter(isMisbehavior);

/** Returns true for a misbehavior that a store shows only at the first call. */
export const isTemporary = (name: Misbehavior): boolean => Object.hasOwn(temporary, name);

/** Responds to a call with a misbehavior instead of the correct reply. */
export const misbehave = (name: Misbehavior, call: MisbehavingCall): void => behaviors[name](call);
