import type { RandomSource, Clock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import type { StepScraperId } from "../../scrapers/catalogue.ts";
import type { BatchSize } from "../http/batch-size.ts";
import { type BatchOutcome, readInBatches } from "../http/in-batches.ts";
import type { SourceCall, SourceClient, SourceReply } from "../http/source-client.ts";
import type { OpenSecret } from "../contract/open-secret.ts";
import { parseUpstreamReply, type UpstreamEntry, type UpstreamResult } from "./reply.ts";

export interface UpstreamOptions {
  /** The server's address, to which `/read` is appended. */
  readonly baseUrl: string;
  /** Items in one call, IDs or offers. */
  readonly batchIdsMax: number;
  readonly callsAtOnceMax: number;
}

/**
 * A warning for the operator about a server, sent once in a read. Contains nothing of an answer.
 */
export type UpstreamNote =
  /** The server refused a call permanently: wrong secret, wrong path, or an invalid request. */
  | { readonly kind: "refused"; readonly scraper: StepScraperId; readonly status: number }
  /** The server takes fewer items in a call than configured. */
  | { readonly kind: "too_many"; readonly scraper: StepScraperId }
  /** The server's answer violates the contract. */
  | { readonly kind: "unreadable"; readonly scraper: StepScraperId };

export interface UpstreamDependencies {
  /** Sends calls to the server's host, with its rate and retries. */
  readonly client: SourceClient;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Sent as a bearer token; opened for every batch. Absent if the server needs none. */
  readonly secret?: OpenSecret;
  readonly note: (note: UpstreamNote) => void;
}

/** The request of one read. */
export interface UpstreamQuery<Item> {
  readonly scraper: StepScraperId;
  readonly marketplace: string;
  readonly items: readonly Item[];
  readonly deadline: Date;
  /** The current batch size of the server. */
  readonly size: BatchSize;
  /** Returns the other fields of the request body. */
  readonly bodyFor: (items: readonly Item[]) => object;
  readonly keyOf: (item: Item) => string;
  /** Returns the key of the item that a result belongs to. */
  readonly keyOfResult: (result: UpstreamResult) => string;
}

/** The server's entry for an item; undefined without a usable one. */
type MaybeEntry = UpstreamEntry | undefined;

/** Subtracted from `deadline_ms`: an answer sent at the deadline still needs time to arrive. */
const deliveryMs = 250;
const okStatus = 200;
/** The batch contains something that the server does not accept. */
const refusedStatus = 400;
/** The batch is too large for the server. */
const tooManyStatus = 413;
/** Temporary refusals that remain after the retries. */
const busyStatuses: ReadonlySet<number> = new Set([408, 425, 429, 503]);

/**
 * Reads items from an upstream server in batches. Returns one entry for each item, in their order;
 * undefined for an item without a usable one.
 */
export async function readUpstream<Item>(
  query: UpstreamQuery<Item>,
  options: UpstreamOptions,
  dependencies: UpstreamDependencies,
): Promise<MaybeEntry[]> {
  const noted = new Set<string>();
  const note = (one: UpstreamNote): void => {
    const key = JSON.stringify(one);
    if (!noted.has(key)) dependencies.note(one);
    noted.add(key);
  };
  const read = { query, options, dependencies: { ...dependencies, note } };
  return readInBatches(query.items, {
    batchMax: query.size,
    atOnce: options.callsAtOnceMax,
    read: (items) => readBatch(items, read),
    unread: () => undefined,
  });
}

interface UpstreamRead<Item> {
  readonly query: UpstreamQuery<Item>;
  readonly options: UpstreamOptions;
  readonly dependencies: UpstreamDependencies;
}

async function readBatch<Item>(
  items: readonly Item[],
  read: UpstreamRead<Item>,
): Promise<BatchOutcome<MaybeEntry>> {
  const { query, dependencies } = read;
  const { scraper, deadline, keyOf, keyOfResult } = query;
  const { client, clock, note } = dependencies;
  if (deadline <= clock.now()) return { kind: "none" };
  const call = await callFor(items, read);
  if (call === null) return { kind: "none" };
  const reply = await client.send(call, deadline);
  if (reply.kind !== "answered") return { kind: isFailed(reply) ? "failed" : "none" };
  if (reply.status !== okStatus) {
    const kind = failureOf(reply.status);
    const isRefused = kind === "refused" || kind === "too_many";
    // A refused batch is no problem as long as its parts are accepted.
    if ((isRefused && items.length === 1) || isPermanentRefusal(reply.status)) {
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

/** Returns true if the server would refuse any call. */
const isPermanentRefusal = (status: number): boolean =>
  status < 500 && !busyStatuses.has(status) && failureOf(status) === "none";

/** Returns null if the secret cannot be opened. */
async function callFor<Item>(
  items: readonly Item[],
  { query, options, dependencies }: UpstreamRead<Item>,
): Promise<SourceCall | null> {
  const { clock, random, secret } = dependencies;
  const bearer = await secret?.();
  if (bearer === null) return null;
  const { scraper, marketplace } = query;
  const rest = query.bodyFor(items);
  return {
    method: "POST",
    url: new URL(`${options.baseUrl.replace(/\/+$/, "")}/read`),
    headers: {
      Accept: "application/json",
      "Content-Type": "application/json",
      "X-Request-Id": newId("request", clock.now(), random),
      ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
    },
    body: (leftMs) => {
      const deadlineMs = Math.max(1, leftMs - deliveryMs);
      return JSON.stringify({ scraper, marketplace, ...rest, deadline_ms: deadlineMs });
    },
  };
}
