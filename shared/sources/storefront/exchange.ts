import type { Clock, RandomSource } from "../../base/clock.ts";
import { retryAfterMs } from "../http/retry-after.ts";
import type { SourceClient, SourceReply } from "../http/source-client.ts";
import { type CatalogReply, parseCatalogReply } from "./catalog-reply.ts";
import { type Endpoint, endpointFinder } from "./endpoint.ts";
import { type CatalogTool, toolCallBody, toolCallHeaders } from "./tool-call.ts";
import { parseToolReply, type ToolReply } from "./tool-reply.ts";

export interface StoreOptions {
  /** The store's address. */
  readonly baseUrl: string;
  /** The path that answers tool calls. If absent, the store's own profile names it. */
  readonly endpointPath?: string | undefined;
}

export interface StoreDependencies {
  /** Must return a 429 without a retry, because its body can contain the time to wait. */
  readonly client: SourceClient;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** The address of the agent profile. May contain `{version}`. */
  readonly profileUrl: string;
  /** Receives warnings for the operator. They contain no data from replies. */
  readonly note?: ((problem: string) => void) | undefined;
}

/** A reply, with the result or error in it. */
export interface StoreReply {
  readonly reply: SourceReply;
  readonly parsed: ToolReply;
  /** The content of the result; null if there is none or it is unreadable. */
  readonly catalog: CatalogReply | null;
}

/** The maximum number of retries after a reply that asks to wait. */
const extraCallsMax = 2;
const restMs = 500;
const throttledStatus = 429;
/** The name of the refusal of a protocol version. */
export const versionUnsupported = "version_unsupported";

/**
 * Calls a tool. Returns the reply; null if the store supports no version of the protocol that the
 * adapter can read, or if the deadline has passed.
 */
export type CallTool = (
  tool: CatalogTool,
  catalog: object,
  deadline: Date,
) => Promise<StoreReply | null>;

/**
 * Creates the caller of one store. Finds the store's endpoint and a version of the protocol at the
 * first call. If the store refuses a version, calls it with the next older one.
 */
export function toolCaller(options: StoreOptions, dependencies: StoreDependencies): CallTool {
  const { clock, profileUrl } = dependencies;
  const endpoints = endpointFinder({ ...options, profileUrl }, dependencies);
  return async (tool, catalog, deadline) => {
    for (;;) {
      if (deadline <= clock.now()) return null;
      const endpoint = await endpoints.find(deadline);
      if (endpoint === null) return null;
      const body = toolCallBody(tool, endpoint.profile, catalog);
      const replied = await send(body, endpoint, { ...dependencies, deadline });
      if (!isVersionRefusal(replied) || !endpoints.refuseVersion(endpoint)) return replied;
    }
  };
}

/**
 * Sends a call, and repeats it at most twice while the store asks to wait. Waits as long as the
 * header or the error asks, else about half a second, then about a second. Returns the reply without
 * a retry if the retry would start after the deadline.
 */
async function send(
  body: string,
  { url }: Endpoint,
  { client, clock, random, deadline }: StoreDependencies & { readonly deadline: Date },
): Promise<StoreReply> {
  const call = { method: "POST", url, headers: toolCallHeaders, body } as const;
  for (let calls = 1; ; calls += 1) {
    const replied = repliedOf(await client.send(call, deadline));
    if (calls > extraCallsMax || !asksToWait(replied)) return replied;
    const now = clock.now();
    const waitMs = waitMsIn(replied, now) ?? Math.round(restMs * calls * (0.5 + random.fraction()));
    if (now.getTime() + waitMs >= deadline.getTime()) return replied;
    await clock.sleep(waitMs);
  }
}

function repliedOf(reply: SourceReply): StoreReply {
  const parsed = parseToolReply(reply);
  const catalog = parsed.kind === "content" ? parseCatalogReply(parsed.content) : null;
  return { reply, parsed, catalog };
}

const isVersionRefusal = ({ parsed, catalog }: StoreReply): boolean =>
  parsed.kind === "error"
    ? parsed.reason === versionUnsupported
    : catalog?.errors.some(({ code }) => code === versionUnsupported) === true;

/** Returns true for a 429, and for an error that asks to wait in a reply with another status. */
const asksToWait = ({ reply, parsed }: StoreReply): boolean =>
  reply.kind === "answered" &&
  (reply.status === throttledStatus ||
    (parsed.kind === "error" && parsed.retryAfterMs !== undefined));

/** Returns the time for which a reply asks to wait. */
function waitMsIn({ reply, parsed }: StoreReply, now: Date): number | undefined {
  const header = reply.kind === "answered" ? reply.headers.get("retry-after") : undefined;
  const inError = parsed.kind === "error" ? parsed.retryAfterMs : undefined;
  return retryAfterMs(header ?? null, now) ?? inError;
}
