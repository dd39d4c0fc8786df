import * as v from "valibot";
import type { Clock } from "../../base/clock.ts";
import { tokenAccountOf, tooFewTokens } from "./account.ts";
import { historyTokens, type TokenAccount, type Tokens } from "./tokens.ts";
import type { SourceClient, SourceReply } from "../http/source-client.ts";
import type { OpenSecret } from "../contract/open-secret.ts";
import { jsonOf, statusOf } from "../contract/reply-json.ts";
import { replyProblem } from "../contract/reply-error.ts";
import { statusProblem } from "../contract/status-problem.ts";

export interface PriceHistoryOptions {
  /** The API's address, to which `/product` and `/seller` are appended. */
  readonly baseUrl: string;
  /** The prefix of an item's page address. If absent, results contain no `url`. */
  readonly pageBaseUrl?: string | undefined;
  /** The prefix of picture addresses. If absent, results contain no pictures. */
  readonly imageBaseUrl?: string | undefined;
  /** The retailer's name as seller and shipper. Default: the platform's name. */
  readonly retailerName?: string | undefined;
  /** The number of offers to request for each listing, from 20 to 40. Default: 40. */
  readonly offersPerListing?: number | undefined;
  /** The maximum number of concurrent batches in one read. Default: 8. */
  readonly callsAtOnceMax?: number | undefined;
}

export interface PriceHistoryDependencies {
  /**
   * Sends the calls. It must return a 429 without a retry, because the body of the 429 contains the
   * time until the next tokens.
   */
  readonly client: SourceClient;
  readonly clock: Clock;
  /** Returns the API key. Called before every request. */
  readonly key: OpenSecret;
  /** The token balance, shared by the adapters that use one key. */
  readonly tokens?: Tokens | undefined;
  /** Receives warnings for the operator. They contain no secret. */
  readonly note?: ((problem: string) => void) | undefined;
}

/** A query to the price history API. */
export interface HistoryQuery {
  readonly path: "product" | "seller";
  readonly parameters: Readonly<Record<string, string>>;
  /** The expected price of the call, in tokens. */
  readonly cost: number;
  readonly deadline: Date;
}

/** The result of one query. */
export type HistoryReply =
  /** The source responded with status 200. `body` is undefined if the response is not JSON. */
  | { readonly kind: "read"; readonly body: unknown }
  /** The call failed, possibly because of the query. A smaller query may succeed. */
  | { readonly kind: "failed" }
  /** The call failed or was not sent, and a smaller query would not help. */
  | { readonly kind: "none" };

/** Sends queries to the price history API. */
export interface HistorySource {
  send(query: HistoryQuery): Promise<HistoryReply>;
}

const triesMax = 2;
const okStatus = 200;
/**
 * Status that means that the source is too busy for any query, so that a smaller query would not
 * help.
 */
const busyStatus = 503;
/** The schema of a valid body with status 200, by path. */
const replies = {
  product: v.object({ products: v.array(v.unknown()) }),
  seller: v.object({ sellers: v.nullable(v.record(v.string(), v.unknown())) }),
};

/**
 * Creates a client of the price history API that stays within the token balance. `send` waits for
 * tokens until the deadline, and retries a call once if the API refuses the call for too few
 * tokens.
 */
export function historySource(
  options: PriceHistoryOptions,
  dependencies: PriceHistoryDependencies,
): HistorySource {
  const tokens = dependencies.tokens ?? historyTokens(dependencies.clock);
  return {
    async send(query) {
      for (let tries = 0; tries < triesMax; tries += 1) {
        const key = await dependencies.key();
        if (key === null || dependencies.clock.now() >= query.deadline) break;
        if (!(await tokens.take(query.cost, query.deadline))) {
          warnOutOfTokens(dependencies);
          break;
        }
        const url = addressOf(query, options, key);
        const { reply, body, account } = await call(url, query, { dependencies, tokens });
        if (hasFailed(reply)) return { kind: "failed" };
        noteProblem(reply, body, { query, dependencies });
        if (statusOf(reply) === okStatus) return { kind: "read", body };
        if (statusOf(reply) !== tooFewTokens || account === null) break;
        if (tries + 1 === triesMax) warnOutOfTokens(dependencies);
      }
      return { kind: "none" };
    },
  };
}

const warnOutOfTokens = ({ note }: PriceHistoryDependencies): void =>
  note?.(
    "a_history: out of tokens; items that get no tokens before the deadline are unavailable; read fewer items, or get more tokens",
  );

const hasFailed = (reply: SourceReply): boolean =>
  reply.kind === "too_large" ||
  (reply.kind === "answered" && reply.status >= 500 && reply.status !== busyStatus);

interface Asked {
  readonly query: HistoryQuery;
  readonly dependencies: PriceHistoryDependencies;
}

/** Warns the operator of a response that shows a problem that an operator must fix. */
function noteProblem(reply: SourceReply, body: unknown, { query, dependencies }: Asked): void {
  if (reply.kind !== "answered") return;
  const isUnreadable = reply.status === okStatus && !v.is(replies[query.path], body);
  const problem = isUnreadable
    ? replyProblem(body, { asked: 1, foundCount: undefined })
    : statusProblem(reply.status);
  if (problem !== undefined) dependencies.note?.(`a_history: the source ${problem}`);
}

interface Answered {
  readonly reply: SourceReply;
  readonly body: unknown;
  /** The token balance in the reply; null if the reply reports none. */
  readonly account: TokenAccount | null;
}

/** Sends one call, and settles its tokens with the balance in the response. */
async function call(
  url: URL,
  { cost, deadline }: HistoryQuery,
  { dependencies, tokens }: { dependencies: PriceHistoryDependencies; tokens: Tokens },
): Promise<Answered> {
  const headers = { Accept: "application/json" };
  let reply: SourceReply = { kind: "broken" };
  let body: unknown;
  let account: TokenAccount | null = null;
  try {
    reply = await dependencies.client.send({ method: "GET", url, headers }, deadline);
    body = jsonOf(reply);
    if (reply.kind === "answered") account = tokenAccountOf(reply, dependencies.clock.now());
  } finally {
    tokens.settle(cost, account);
  }
  return { reply, body, account };
}

/** Returns the address of a query. It contains the key, so it must not appear in a log. */
function addressOf(
  { path, parameters }: HistoryQuery,
  { baseUrl }: PriceHistoryOptions,
  key: string,
): URL {
  const url = new URL(`${baseUrl.replace(/\/+$/, "")}/${path}`);
  url.searchParams.set("key", key);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}
