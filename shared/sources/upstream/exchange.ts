import type { RandomSource, Clock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import type { StepScraperId } from "../../scrapers/catalog.ts";
import type { BatchSize } from "../http/batch-size.ts";
import {
  batchFailureOf,
  type BatchOutcome,
  isBusyStatus,
  readInBatches,
} from "../http/in-batches.ts";
import type { SourceCall, SourceClient, SourceReply } from "../http/source-client.ts";
import type { OpenSecret } from "../contract/open-secret.ts";
import { parseUpstreamReply, type UpstreamEntry, type UpstreamResult } from "./reply.ts";

export interface UpstreamOptions {
  /** The server's address, to which `/read` is appended. */
  readonly baseUrl: string;
  /** The maximum number of items (IDs or offers) in one call. */
  readonly batchIdsMax: number;
  readonly callsAtOnceMax: number;
}

/**
 * A warning for the operator about a server, sent at most once in each read. Contains no data from
 * replies.
 */
export type UpstreamNote =
  /**
   * The server refused a call in a way that a retry does not fix: wrong secret, wrong path or
   * invalid request.
   */
  | { readonly kind: "refused"; readonly scraper: StepScraperId; readonly status: number }
  /** The server accepts fewer items per call than configured. */
  | { readonly kind: "too_many"; readonly scraper: StepScraperId }
  /** The server's reply violates the contract. */
  | { readonly kind: "unreadable"; readonly scraper: StepScraperId };

export interface UpstreamDependencies {
  /**
   * Sends calls to the server's host. Applies the rate limit of the host, and retries temporary
   * failures.
   */
  readonly client: SourceClient;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Returns the bearer token. Called for every batch. Absent if the server needs no token. */
  readonly secret?: OpenSecret;
  readonly note: (note: UpstreamNote) => void;
}

/** The request of one read. */
export interface UpstreamQuery<Item> {
  readonly scraper: StepScraperId;
  readonly marketplace: string;
  readonly items: readonly Item[];
  readonly deadline: Date;
  /** The number of items that the server currently accepts in one call. */
  readonly size: BatchSize;
  /** Returns the part of the request body that contains the items of a call. */
  readonly bodyFor: (items: readonly Item[]) => object;
  /** Returns the key of an item, by which results are matched to items. */
  readonly keyOf: (item: Item) => string;
  /** Returns the key of the item to which a result belongs. */
  readonly keyOfResult: (result: UpstreamResult) => string;
}

/** The server's entry for an item; undefined if the server sent no valid entry. */
type MaybeEntry = UpstreamEntry | undefined;

/**
 * Milliseconds that are subtracted from `deadline_ms`, because a reply that the server sends at its
 * deadline needs time to arrive.
 */
const deliveryMs = 250;
const okStatus = 200;

/**
 * Reads items from an upstream server in batches. Returns one entry for each item, in the order of
 * the items; undefined for an item without a valid entry. Passes each warning about the server to
 * `note` once.
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

/** Reads items in one call. Warns the operator of a refused call or an unreadable reply. */
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
    const kind = batchFailureOf(reply.status);
    const isRefused = kind === "refused" || kind === "too_many";
    // A refused batch is read again in smaller batches, so only the refusal of a single item needs
    // a warning.
    if ((isRefused && items.length === 1) || isPermanentRefusal(reply.status)) {
      note({ kind: "refused", scraper, status: reply.status });
    } else if (kind === "too_many") note({ kind, scraper });
    return { kind };
  }
  const parsedReply = parseUpstreamReply(reply, keyOfResult, clock.now());
  if (parsedReply !== null)
    return { kind: "read", results: items.map((item) => parsedReply.get(keyOf(item))) };
  note({ kind: "unreadable", scraper });
  return { kind: "none" };
}

const isFailed = ({ kind }: SourceReply): boolean => kind === "broken" || kind === "too_large";

/**
 * Returns true for a status with which the server refuses every call, whatever its items: below
 * 500, and neither temporary nor 400 or 413.
 */
const isPermanentRefusal = (status: number): boolean =>
  status < 500 && !isBusyStatus(status) && batchFailureOf(status) === "none";

/** Returns the call; null if the secret cannot be read. */
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
