import { createParser } from "eventsource-parser";
import * as v from "valibot";
import { decimalNumber, lenient, validEntries } from "../contract/foreign-value.ts";
import { parseJson, textOf } from "../contract/reply-json.ts";
import type { SourceReply } from "../http/source-client.ts";

/** The reply to a tool call, taken out of its HTTP response and JSON-RPC message. */
export type ToolReply =
  /** The tool's result, not yet parsed. */
  | { readonly kind: "content"; readonly content: unknown }
  /** The store refused or failed the call. */
  | ToolError
  /** The response contains no valid JSON-RPC reply. */
  | { readonly kind: "unreadable" };

/** An error of a store, from JSON-RPC or from the tool itself. */
export interface ToolError {
  readonly kind: "error";
  /** The JSON-RPC code; undefined if the tool itself reports the error. */
  readonly code: number | undefined;
  /** The protocol's name of the problem, such as `version_unsupported`. */
  readonly reason: string | undefined;
  /** The text of the store. It must not reach a log. */
  readonly text: string;
  /** The wait that the store requests, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/** The JSON-RPC codes that the protocol defines. */
export const rpcCodes = {
  unknownMethod: -32_601,
  invalidParams: -32_602,
  negotiationFailed: -32_001,
  serverError: -32_000,
} as const;

/**
 * The `reason` with which a store refuses a protocol version. The JSON-RPC code of this refusal is
 * `negotiationFailed`.
 */
export const versionUnsupported = "version_unsupported";

const errorData = v.object({
  code: lenient(v.string()),
  content: lenient(v.string()),
  retry_after: lenient(v.pipe(decimalNumber, v.minValue(0))),
});
const rpcError = v.object({
  error: v.object({
    code: lenient(decimalNumber),
    message: v.fallback(v.string(), ""),
    data: lenient(errorData),
  }),
});

const contentPart = v.object({ type: v.literal("text"), text: v.string() });
const rpcResult = v.object({
  result: v.object({
    structuredContent: v.optional(v.unknown()),
    content: v.fallback(validEntries(contentPart), []),
    isError: v.fallback(v.optional(v.boolean(), false), false),
  }),
});

/**
 * Returns the content or the error in the reply to a tool call; `unreadable` if the reply contains
 * neither. The body is JSON, or a stream of server-sent events, one of which contains the JSON.
 */
export function parseToolReply(reply: SourceReply): ToolReply {
  for (const message of messagesIn(reply)) {
    const failed = v.safeParse(rpcError, message);
    if (failed.success) return errorOf(failed.output.error);
    const done = v.safeParse(rpcResult, message);
    if (done.success) return resultOf(done.output.result);
  }
  return { kind: "unreadable" };
}

/**
 * Matches words with which stores refuse a call because of the number of calls, not because of the
 * content of the call.
 */
const rateWords =
  /\brate\b|rate[_-]?limit|throttl|too[ _-]many[ _-](?:requests|calls)|\bquota|(?:requests|calls) per|slow down|try again|retry/i;

/** Returns true if the text of an error reports too many calls, not an invalid call. */
export const isAboutRate = (text: string): boolean => rateWords.test(text);

/** Returns true if a store reports with this error that its client must wait. */
export const asksToWait = ({ reason, text, retryAfterMs }: ToolError): boolean =>
  retryAfterMs !== undefined || isAboutRate(`${reason ?? ""} ${text}`);

/**
 * Returns the wait that a store's reply requests, in milliseconds; an object without `waitMs` if
 * the reply does not state how long. Returns undefined for a reply that requests no wait.
 */
export function storeWait(reply: SourceReply): { readonly waitMs?: number } | undefined {
  const parsed = parseToolReply(reply);
  if (parsed.kind !== "error" || !asksToWait(parsed)) return undefined;
  return parsed.retryAfterMs === undefined ? {} : { waitMs: parsed.retryAfterMs };
}

/** Returns the JSON values in a reply. A stream may also contain notifications. */
function messagesIn(reply: SourceReply): unknown[] {
  const text = textOf(reply);
  if (text === undefined || reply.kind !== "answered") return [];
  if (!/^\s*text\/event-stream\b/i.test(reply.headers.get("content-type") ?? "")) {
    return [parseJson(text)];
  }
  const messages: unknown[] = [];
  const parser = createParser({ onEvent: ({ data }) => void messages.push(parseJson(data)) });
  parser.feed(text);
  // Ends the last event, which may lack the blank line at its end. It is complete, because the body
  // has ended.
  parser.feed("\n\n");
  return messages;
}

/** Converts a JSON-RPC error to a tool error. */
function errorOf({ code, message, data }: v.InferOutput<typeof rpcError>["error"]): ToolError {
  const seconds = data?.retry_after;
  return {
    kind: "error",
    code,
    reason: data?.code,
    text: `${message} ${data?.content ?? ""}`,
    retryAfterMs: seconds === undefined ? undefined : seconds * 1_000,
  };
}

/** Converts a JSON-RPC result to the content of the tool, or to the error that the tool reports. */
function resultOf({
  structuredContent,
  content,
  isError,
}: v.InferOutput<typeof rpcResult>["result"]): ToolReply {
  const text = content.map((part) => part.text).join("\n");
  if (isError) {
    const about = text === "" ? JSON.stringify(structuredContent ?? "") : text;
    return {
      kind: "error",
      code: undefined,
      reason: undefined,
      text: about,
      retryAfterMs: undefined,
    };
  }
  const foundContent = structuredContent ?? parseJson(text);
  return foundContent === undefined || foundContent === null
    ? { kind: "unreadable" }
    : { kind: "content", content: foundContent };
}
