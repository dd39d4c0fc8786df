import type { Chance, Clock } from "../base/clock.ts";
import { newId } from "../base/ids.ts";
import type { StepScraperId } from "../scrapers/catalogue.ts";
import { type BatchOutcome, readInBatches } from "./http/in-batches.ts";
import type { SourceCall, SourceClient, SourceReply } from "./http/source-client.ts";
import type { OpenSecret } from "./open-secret.ts";
import { parseUpstreamReply, type UpstreamEntry, type UpstreamResult } from "./upstream-reply.ts";

export interface UpstreamOptions {
  /** Where the contract is spoken; `/read` is put behind it. */
  readonly baseUrl: string;
  /** Ids, or offers, that the server takes in one call. */
  readonly batchIdsMax: number;
  readonly callsAtOnceMax: number;
  /** As long as the client gives one try. */
  readonly tryTimeoutMs: number;
}

/** What an operator should know of a server; told once in a read. Holds nothing of an answer. */
export type UpstreamNote =
  /** It turned a call away for good: a wrong secret or path, or what is no call to it. */
  | { readonly kind: "refused"; readonly scraper: StepScraperId; readonly status: number }
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
  /** The rest of the request's body. */
  readonly bodyFor: (items: readonly Item[]) => object;
  readonly keyOf: (item: Item) => string;
  /** The key of the item that a result is about. */
  readonly keyOfResult: (result: UpstreamResult) => string;
}

/** What the server said of an item; undefined where it said nothing usable. */
type Said = UpstreamEntry | undefined;

const okStatus = 200;
/** The batch is too much for the server, or holds something that it does not accept. */
const refusalStatuses: ReadonlySet<number> = new Set([400, 413]);
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
    batchMax: options.batchIdsMax,
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
    // A batch that is refused is no trouble as long as its parts are not.
    const isFinal = kind === "refused" && items.length === 1;
    if (isFinal || isDismissal(reply.status)) {
      note({ kind: "refused", scraper, status: reply.status });
    }
    return { kind };
  }
  const found = parseUpstreamReply(reply, keyOfResult, clock.now());
  if (found !== null) return { kind: "read", results: items.map((item) => found.get(keyOf(item))) };
  note({ kind: "unreadable", scraper });
  return { kind: "none" };
}

const isFailed = ({ kind }: SourceReply): boolean => kind === "broken" || kind === "too_large";

function failureOf(status: number): "refused" | "failed" | "none" {
  if (refusalStatuses.has(status)) return "refused";
  return status >= 500 && !busyStatuses.has(status) ? "failed" : "none";
}

/** The call is turned away for good, whatever it asks for. */
const isDismissal = (status: number): boolean =>
  status < 500 && !busyStatuses.has(status) && !refusalStatuses.has(status);

/** Null when the secret cannot be opened. */
async function callFor<Item>(
  items: readonly Item[],
  { question, options, dependencies }: Asking<Item>,
): Promise<SourceCall | null> {
  const { clock, chance, secret } = dependencies;
  const bearer = await secret?.();
  if (bearer === null) return null;
  const now = clock.now();
  const remainingMs = question.deadline.getTime() - now.getTime();
  return {
    method: "POST",
    url: new URL(`${options.baseUrl.replace(/\/+$/, "")}/read`),
    headers: {
      Accept: "application/json",
      "Content-Type": "application/json",
      "X-Request-Id": newId("request", now, chance),
      ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify({
      scraper: question.scraper,
      marketplace: question.marketplace,
      ...question.bodyFor(items),
      deadline_ms: Math.max(1, Math.min(options.tryTimeoutMs, remainingMs)),
    }),
  };
}
