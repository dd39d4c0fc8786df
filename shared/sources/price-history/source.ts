import * as v from "valibot";
import type { Clock } from "../../base/clock.ts";
import { accountOf, tooFewTokens } from "./account.ts";
import { historyTokens, type TokenAccount, type Tokens } from "./tokens.ts";
import type { SourceClient, SourceReply } from "../http/source-client.ts";
import type { OpenSecret } from "../contract/open-secret.ts";
import { jsonOf, statusOf } from "../contract/reply-json.ts";
import { replyProblem } from "../contract/reply-trouble.ts";
import { statusProblem } from "../contract/status-problem.ts";

export interface PriceHistoryOptions {
  /** Where the API is; `/product` and `/seller` are put behind it. */
  readonly baseUrl: string;
  /** What an item's id is put behind to make its page's address; without it none is shown. */
  readonly pageBaseUrl?: string | undefined;
  /** What a picture's file name is put behind; without it none is shown. */
  readonly imageBaseUrl?: string | undefined;
  /** Name of the retailer as seller and as the one who ships; the platform's name by default. */
  readonly retailerName?: string | undefined;
  /** Offers that are looked up for each listing, 20 to 40; 40 by default. */
  readonly offersPerListing?: number | undefined;
  /** Batches of one read that are in work at one time; 8 by default. */
  readonly callsAtOnceMax?: number | undefined;
}

export interface PriceHistoryDependencies {
  /** Must hand over a 429 rather than try again: when to do so stands in its body. */
  readonly client: SourceClient;
  readonly clock: Clock;
  /** The API key; asked for at every call. */
  readonly key: OpenSecret;
  /** What is left to pay with; shared by the adapters that use one key. */
  readonly tokens?: Tokens | undefined;
  /** Told what an operator must mend; holds nothing secret. */
  readonly note?: ((problem: string) => void) | undefined;
}

export interface HistoryQuery {
  readonly path: "product" | "seller";
  readonly parameters: Readonly<Record<string, string>>;
  /** What the call is expected to cost, in tokens. */
  readonly cost: number;
  readonly deadline: Date;
}

/** What an answer came to. */
export type HistoryReply =
  /** A 200, with the JSON in it, if any. */
  | { readonly kind: "read"; readonly body: unknown }
  /** Failed for a reason that may lie in what was asked for. */
  | { readonly kind: "failed" }
  /** Everything else. */
  | { readonly kind: "none" };

/** The API as a thing to ask. */
export interface HistorySource {
  ask(query: HistoryQuery): Promise<HistoryReply>;
}

const triesMax = 2;
const okStatus = 200;
/** The source as a whole is busy, whatever it is asked for. */
const busyStatus = 503;
/** What makes a 200 a reply. */
const replies = {
  product: v.object({ products: v.array(v.unknown()) }),
  seller: v.object({ sellers: v.nullable(v.record(v.string(), v.unknown())) }),
};

/** Asks within the tokens that there are: a call that finds none waits for them, once. */
export function historySource(
  options: PriceHistoryOptions,
  dependencies: PriceHistoryDependencies,
): HistorySource {
  const tokens = dependencies.tokens ?? historyTokens(dependencies.clock);
  return {
    async ask(query) {
      for (let tries = 0; tries < triesMax; tries += 1) {
        const key = await dependencies.key();
        if (key === null || dependencies.clock.now() >= query.deadline) break;
        if (!(await tokens.take(query.cost, query.deadline))) {
          tellOutOfTokens(dependencies);
          break;
        }
        const url = addressOf(query, options, key);
        const { reply, body, account } = await call(url, query, { dependencies, tokens });
        if (hasFailed(reply)) return { kind: "failed" };
        noteProblem(reply, body, { query, dependencies });
        if (statusOf(reply) === okStatus) return { kind: "read", body };
        if (statusOf(reply) !== tooFewTokens || account === null) break;
        if (tries + 1 === triesMax) tellOutOfTokens(dependencies);
      }
      return { kind: "none" };
    },
  };
}

const tellOutOfTokens = ({ note }: PriceHistoryDependencies): void =>
  note?.("a_history: out of tokens: what cannot be paid for in time is unavailable");

const hasFailed = (reply: SourceReply): boolean =>
  reply.kind === "too_large" ||
  (reply.kind === "answered" && reply.status >= 500 && reply.status !== busyStatus);

interface Asked {
  readonly query: HistoryQuery;
  readonly dependencies: PriceHistoryDependencies;
}

function noteProblem(reply: SourceReply, body: unknown, { query, dependencies }: Asked): void {
  if (reply.kind !== "answered") return;
  const isUnreadable = reply.status === okStatus && !v.is(replies[query.path], body);
  const problem = isUnreadable
    ? replyProblem(body, { asked: 1, found: undefined })
    : statusProblem(reply.status);
  if (problem !== undefined) dependencies.note?.(`a_history: the source ${problem}`);
}

interface Answered {
  readonly reply: SourceReply;
  readonly body: unknown;
  /** Null when the answer does not say what is left. */
  readonly account: TokenAccount | null;
}

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
    if (reply.kind === "answered") account = accountOf(reply, dependencies.clock.now());
  } finally {
    tokens.settle(cost, account);
  }
  return { reply, body, account };
}

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
