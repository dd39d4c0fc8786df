import type { Chance, Clock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import type { StepScraperId } from "../../scrapers/catalogue.ts";
import type { BatchSize } from "../http/batch-size.ts";
import { type BatchOutcome, readInBatches } from "../http/in-batches.ts";
import type { SourceCall, SourceClient, SourceReply } from "../http/source-client.ts";
import type { OpenSecret } from "../contract/open-secret.ts";
import { parseUpstreamReply, type UpstreamEntry, type UpstreamResult } from "./reply.ts";

export interface UpstreamOptions {
  /** Where the contract is spoken; `/read` is put behind it. */
  readonly baseUrl: string;
  /** Ids, or offers, that the server takes in one call. */
  readonly batchIdsMax: number;
  readonly callsAtOnceMax: number;
}

/** What an operator should know of a server; told once in a read. Holds nothing of an answer. */
export type UpstreamNote =
  /** It turned a call away for good: a wrong secret or path, or what is no call to it. */
  | { readonly kind: "refused"; readonly scraper: StepScraperId; readonly status: number }
  /** It takes fewer items in a call than it is configured to be sent. */
  | { readonly kind: "too_many"; readonly scraper: StepScraperId }
  /** It answered with what is no reply of the contract. */
  | { readonly kind: "unreadable"; readonly scraper: StepScraperId };

export interface UpstreamDependencies {
  /** Bound to the server's host, with the pace and the retries that it is due. */
  readonly client: SourceClient;
  readonly clock: Clock;
  readonly chance: Chance;
  /** Sent as a bearer token; called for every batch. Absent where the server wants none. */
  readonly secret?: OpenSecret;
  readonly note: (note: UpstreamNote) => void;
}

/** What one read wants to know of so many items. */
export interface UpstreamQuestion<Item> {
  readonly scraper: StepScraperId;
  readonly marketplace: string;
  readonly items: readonly Item[];
  readonly deadline: Date;
  /** What is known of how many items the server takes in a call. */
  readonly size: BatchSize;
  /** The rest of the request's body. */
  readonly bodyFor: (items: readonly Item[]) => object;
  readonly keyOf: (item: Item) => string;
  /** The key of the item that a result is about. */
  readonly keyOfResult: (result: UpstreamResult) => string;
}

/** What the server said of an item; undefined where it said nothing usable. */
type Said = UpstreamEntry | undefined;

/** An answer that is given at the last moment has yet to get here. */
const deliveryMs = 250;
const okStatus = 200;
/** The batch holds something that the server does not accept. */
const refusedStatus = 400;
/** The batch is too much for the server. */
const tooManyStatus = 413;
/** "Not now", even after the retries. */
const busyStatuses: ReadonlySet<number> = new Set([408, 425, 429, 503]);

/** What is said of each item by the deadline, in the items' order; asked in batches. */
export async function askUpstream<Item>(
  question: UpstreamQuestion<Item>,
  options: UpstreamOptions,
  dependencies: UpstreamDependencies,
): Promise<Said[]> {
  const noted = new Set<string>();
  const note = (one: UpstreamNote): void => {
    const key = JSON.stringify(one);
    if (!noted.has(key)) dependencies.note(one);
    noted.add(key);
  };
  const asking = { question, options, dependencies: { ...dependencies, note } };
  return readInBatches(question.items, {
    batchMax: question.size,
    atOnce: options.callsAtOnceMax,
    read: (items) => askForBatch(items, asking),
    unread: () => undefined,
  });
}

interface Asking<Item> {
  readonly question: UpstreamQuestion<Item>;
  readonly options: UpstreamOptions;
  readonly dependencies: UpstreamDependencies;
}

async function askForBatch<Item>(
  items: readonly Item[],
  asking: Asking<Item>,
): Promise<BatchOutcome<Said>> {
  const { question, dependencies } = asking;
  const { scraper, deadline, keyOf, keyOfResult } = question;
  const { client, clock, note } = dependencies;
  if (deadline <= clock.now()) return { kind: "none" };
  const call = await callFor(items, asking);
  if (call === null) return { kind: "none" };
  const reply = await client.send(call, deadline);
  if (reply.kind !== "answered") return { kind: isFailed(reply) ? "failed" : "none" };
  if (reply.status !== okStatus) {
    const kind = failureOf(reply.status);
    const isRefused = kind === "refused" || kind === "too_many";
    // A batch that is refused is no trouble as long as its parts are not.
    if ((isRefused && items.length === 1) || isDismissal(reply.status)) {
      note({ kind: "refused", scraper, status: reply.status });
    } else if (kind === "too_many") note({ kind, scraper });
    return { kind };
  }
  const found = parseUpstreamReply(reply, keyOfResult, clock.now());
  if (found !== null) return { kind: "read", results: items.map((item) => found.get(keyOf(item))) };
  note({ kind: "unreadable", scraper });
  return { kind: "none" };
}

const isFailed = ({ kind }: SourceReply): boolean => kind === "broken" || kind === "too_large";

function failureOf(status: number): "refused" | "too_many" | "failed" | "none" {
  if (status === refusedStatus) return "refused";
  if (status === tooManyStatus) return "too_many";
  return status >= 500 && !busyStatuses.has(status) ? "failed" : "none";
}

/** The call is turned away for good, whatever it asks for. */
const isDismissal = (status: number): boolean =>
  status < 500 && !busyStatuses.has(status) && failureOf(status) === "none";

/** Null when the secret cannot be opened. */
async function callFor<Item>(
  items: readonly Item[],
  { question, options, dependencies }: Asking<Item>,
): Promise<SourceCall | null> {
  const { clock, chance, secret } = dependencies;
  const bearer = await secret?.();
  if (bearer === null) return null;
  const { scraper, marketplace } = question;
  const rest = question.bodyFor(items);
  return {
    method: "POST",
    url: new URL(`${options.baseUrl.replace(/\/+$/, "")}/read`),
    headers: {
      Accept: "application/json",
      "Content-Type": "application/json",
      "X-Request-Id": newId("request", clock.now(), chance),
      ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
    },
    body: (leftMs) => {
      const deadlineMs = Math.max(1, leftMs - deliveryMs);
      return JSON.stringify({ scraper, marketplace, ...rest, deadline_ms: deadlineMs });
    },
  };
}
