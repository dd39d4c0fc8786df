import type { Chance, Clock } from "../base/clock.ts";
import { newId } from "../base/ids.ts";
import type { StepScraperId } from "../scrapers/catalogue.ts";
import { inParallel } from "./http/in-parallel.ts";
import type { SourceCall, SourceClient, SourceReply } from "./http/source-client.ts";
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
  readonly secret?: () => Promise<string>;
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

/** What the server said, by item; an item of which it said nothing usable is absent. */
export type UpstreamEntries = ReadonlyMap<string, UpstreamEntry>;

/** So many items of one batch may be to blame before the rest of it is given up. */
const refusedItemsMax = 3;
const failingItemsMax = 1;
/** The batch is too much for the server, or holds something that it does not accept. */
const refusalStatuses: ReadonlySet<number> = new Set([400, 413]);
/** "Not now", even after the retries. */
const busyStatuses: ReadonlySet<number> = new Set([408, 425, 429, 503]);

/** Asks in batches and collects what is answered by the deadline. */
export async function askUpstream<Item>(
  question: UpstreamQuestion<Item>,
  options: UpstreamOptions,
  dependencies: UpstreamDependencies,
): Promise<UpstreamEntries> {
  const { items, deadline } = question;
  const entries = new Map<string, UpstreamEntry>();
  if (deadline <= dependencies.clock.now()) return entries;
  const noted = new Set<string>();
  const note = (one: UpstreamNote): void => {
    const key = JSON.stringify(one);
    if (!noted.has(key)) dependencies.note(one);
    noted.add(key);
  };
  const reading = { question, options, dependencies: { ...dependencies, note }, entries };
  await inParallel(inBatches(items, options.batchIdsMax), options.callsAtOnceMax, (batch) =>
    readBatch(batch, { ...reading, ...splitsFor(batch.length) }),
  );
  return entries;
}

interface BatchReading<Item> {
  readonly question: UpstreamQuestion<Item>;
  readonly options: UpstreamOptions;
  readonly dependencies: UpstreamDependencies;
  readonly entries: Map<string, UpstreamEntry>;
  /** How often the batch may still be cut in two, by what goes wrong with it. */
  readonly splitsLeft: Record<"refused" | "failed", number>;
}

const inBatches = <Item>(items: readonly Item[], itemsMax: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / itemsMax) }, (_, n) =>
    items.slice(n * itemsMax, (n + 1) * itemsMax),
  );

/** To come down to one item takes as many cuts as the batch can be halved. */
function splitsFor(count: number): Pick<BatchReading<unknown>, "splitsLeft"> {
  const halvings = Math.ceil(Math.log2(count));
  return {
    splitsLeft: { refused: halvings * refusedItemsMax, failed: halvings * failingItemsMax },
  };
}

/** One call for the items, or several where the server cannot answer them together. */
async function readBatch<Item>(items: readonly Item[], reading: BatchReading<Item>): Promise<void> {
  const { question, dependencies, splitsLeft } = reading;
  const { scraper, deadline } = question;
  const reply = await dependencies.client.send(await callFor(items, reading), deadline);
  const ending = endingOf(reply);
  if (ending === "replied") return keep(items, reply, reading);
  const isSplit = ending === "refused" || ending === "failed";
  const hasTime = deadline > dependencies.clock.now();
  if (isSplit && items.length > 1 && splitsLeft[ending] > 0 && hasTime) {
    splitsLeft[ending] -= 1;
    const middle = Math.ceil(items.length / 2);
    await readBatch(items.slice(0, middle), reading);
    return readBatch(items.slice(middle), reading);
  }
  if (reply.kind === "answered" && (ending === "refused" || ending === "dismissed")) {
    dependencies.note({ kind: "refused", scraper, status: reply.status });
  }
}

async function callFor<Item>(
  items: readonly Item[],
  { question, options, dependencies }: BatchReading<Item>,
): Promise<SourceCall> {
  const { clock, chance, secret } = dependencies;
  const bearer = secret === undefined ? {} : { Authorization: `Bearer ${await secret()}` };
  const now = clock.now();
  const remainingMs = question.deadline.getTime() - now.getTime();
  return {
    method: "POST",
    url: new URL(`${options.baseUrl.replace(/\/+$/, "")}/read`),
    headers: {
      Accept: "application/json",
      "Content-Type": "application/json",
      "X-Request-Id": newId("request", now, chance),
      ...bearer,
    },
    body: JSON.stringify({
      scraper: question.scraper,
      marketplace: question.marketplace,
      ...question.bodyFor(items),
      deadline_ms: Math.max(1, Math.min(options.tryTimeoutMs, remainingMs)),
    }),
  };
}

/** `dismissed` is for good; `none` says nothing, now or at all. */
type Ending = "replied" | "refused" | "failed" | "dismissed" | "none";

function endingOf(reply: SourceReply): Ending {
  switch (reply.kind) {
    case "answered":
      return endingOfStatus(reply.status);
    case "broken":
    case "too_large":
      return "failed";
    case "no_time":
    case "circuit_open":
      return "none";
    default:
      return reply satisfies never;
  }
}

function endingOfStatus(status: number): Ending {
  if (status === 200) return "replied";
  if (refusalStatuses.has(status)) return "refused";
  if (busyStatuses.has(status)) return "none";
  return status >= 500 ? "failed" : "dismissed";
}

function keep<Item>(
  items: readonly Item[],
  reply: SourceReply,
  { question, dependencies, entries }: BatchReading<Item>,
): void {
  if (reply.kind !== "answered") return;
  const found = parseUpstreamReply(reply, question.keyOfResult, dependencies.clock.now());
  if (found === null) {
    return dependencies.note({ kind: "unreadable", scraper: question.scraper });
  }
  const asked = new Set(items.map(question.keyOf));
  for (const [key, entry] of found) if (asked.has(key)) entries.set(key, entry);
}
