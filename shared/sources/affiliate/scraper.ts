import type { KeyObject } from "node:crypto";
import * as v from "valibot";
import type { Clock } from "../../base/clock.ts";
import { currencyOf, platforms } from "../../platforms/catalog.ts";
import { scrapers } from "../../scrapers/catalog.ts";
import type { Answer, ReadRequest, Scraper } from "../../scrapers/scraper.ts";
import { affiliateAnswer } from "./fields.ts";
import { type AffiliateItem, affiliateItem } from "./item.ts";
import { rsaKey, signHeaders } from "./signature.ts";
import { batchFailureOf, type BatchOutcome, readInBatches } from "../http/in-batches.ts";
import type { SourceCall, SourceClient, SourceReply } from "../http/source-client.ts";
import type { OpenSecret } from "../contract/open-secret.ts";
import { jsonOf, statusOf } from "../contract/reply-json.ts";
import { replyProblem, reportsError } from "../contract/reply-error.ts";
import { statusProblem } from "../contract/status-problem.ts";

export interface AffiliateOptions {
  /** The item API's address, to which `/items` is appended. */
  readonly baseUrl: string;
  readonly consumerId: string;
  readonly keyVersion: string;
  /**
   * The publisher ID, which the source adds to tracking links. If it is set, results contain
   * tracking links instead of plain page links.
   */
  readonly publisherId?: string | undefined;
  /** The ZIP code for which prices and stock are read. */
  readonly zipCode?: string | undefined;
  readonly storeId?: string | undefined;
  /** Seller name of items that the retailer itself sells. Default: the platform's name. */
  readonly retailerName?: string | undefined;
}

export interface AffiliateDependencies {
  readonly client: SourceClient;
  readonly clock: Clock;
  /** Returns the RSA private key as PEM. Called before every request. */
  readonly privateKey: OpenSecret;
  /** Receives warnings for the operator. They contain no secret. */
  readonly note?: ((problem: string) => void) | undefined;
}

/** The maximum number of IDs in one call. */
const batchIdsMax = 20;
/** The maximum number of concurrent batches in one read. */
const batchesAtOnceMax = 5;
const okStatus = 200;
const keyRefusedStatuses: ReadonlySet<number> = new Set([401, 403]);

/**
 * Creates the scraper of `retailer_b` for an affiliate item API, which accepts 20 item numbers in
 * one call.
 *
 * An item is `not_found` if a complete reply does not contain it, and `unavailable` if the source
 * could not read it.
 */
export function affiliateScraper(
  options: AffiliateOptions,
  dependencies: AffiliateDependencies,
): Scraper {
  return {
    read: (request) =>
      readInBatches(request.ids, {
        batchMax: batchIdsMax,
        atOnce: batchesAtOnceMax,
        read: (ids) => readBatch(ids, { request, options, dependencies }),
        unread: (id) => ({
          id,
          status: "unavailable",
          fetchedAt: dependencies.clock.now().toISOString(),
        }),
      }),
  };
}

interface BatchReading {
  readonly request: ReadRequest;
  readonly options: AffiliateOptions;
  readonly dependencies: AffiliateDependencies;
}

/** Reads items in one call. Warns the operator of a refused call or an unreadable reply. */
async function readBatch(
  ids: readonly string[],
  reading: BatchReading,
): Promise<BatchOutcome<Answer>> {
  const { request, options, dependencies } = reading;
  const reply = await sendCall(ids, reading);
  const status = reply === null ? undefined : statusOf(reply);
  if (reply === null || status !== okStatus) return failureOf(reply, ids, dependencies);
  const body = jsonOf(reply);
  const items = itemsOf(body, ids);
  const problem = replyProblem(body, { asked: ids.length, foundCount: items?.byKey.size });
  if (problem !== undefined) dependencies.note?.(`b_affiliate: the source ${problem}`);
  if (items === null) return { kind: "none" };
  const read = {
    fetchedAt: dependencies.clock.now().toISOString(),
    currency: currencyOf(scrapers[request.scraper].platform, request.marketplace),
    retailerName: options.retailerName ?? platforms.retailer_b.name,
    isTracking: options.publisherId !== undefined,
  };
  return { kind: "read", results: ids.map((id) => answerFor(id, items, read)) };
}

/**
 * Returns the outcome of a call without a readable reply. Warns of a problem that an operator must
 * fix.
 * @param reply null if no usable private key is available
 */
function failureOf(
  reply: SourceReply | null,
  ids: readonly string[],
  { note }: AffiliateDependencies,
): BatchOutcome<Answer> {
  if (reply?.kind === "too_large") return { kind: "failed" };
  if (reply?.kind !== "answered") return { kind: "none" };
  const { status } = reply;
  const kind = batchFailureOf(status);
  // A refused batch is read again in halves, so only the refusal of a single item needs a warning.
  const isSplit = (kind === "refused" || kind === "too_many") && ids.length > 1;
  const problem = isSplit ? undefined : problemOf(status);
  if (problem !== undefined) note?.(`b_affiliate: the source ${problem}`);
  return { kind };
}

const problemOf = (status: number): string | undefined =>
  keyRefusedStatuses.has(status)
    ? `refuses the key or its signature (${status}); check privateKey, consumerId and keyVersion`
    : statusProblem(status);

/** Sends the call. Returns null if no usable private key is available. */
async function sendCall(
  ids: readonly string[],
  reading: BatchReading,
): Promise<SourceReply | null> {
  const { request, options, dependencies } = reading;
  const { client, clock } = dependencies;
  const privateKey = await usableKey(dependencies);
  if (privateKey === null) return null;
  const call: SourceCall = {
    method: "GET",
    url: addressOf(ids, options),
    // The headers are signed for each try, because a signature is valid for only three minutes and
    // the wait before a try may be longer.
    headers: () => ({
      Accept: "application/json",
      ...signHeaders({ ...options, privateKey }, clock.now()),
    }),
  };
  return client.send(call, request.deadline);
}

/** Returns the private key; null, after a warning, if the secret has no RSA private key. */
async function usableKey({ privateKey, note }: AffiliateDependencies): Promise<KeyObject | null> {
  const pem = await privateKey();
  if (pem === null) return null;
  const key = rsaKey(pem);
  if (key === null) {
    note?.(
      "b_affiliate: the secret contains no RSA private key. Store the key in PEM format in the secret",
    );
  }
  return key;
}

/** Returns the address of a call for these items. */
function addressOf(ids: readonly string[], options: AffiliateOptions): URL {
  const { baseUrl, publisherId, zipCode, storeId } = options;
  const url = new URL(`${baseUrl.replace(/\/+$/, "")}/items`);
  url.searchParams.set("ids", [...new Set(ids.map(itemKey))].join(","));
  if (publisherId !== undefined) url.searchParams.set("publisherId", publisherId);
  if (zipCode !== undefined) url.searchParams.set("zipCode", zipCode);
  if (storeId !== undefined) url.searchParams.set("storeId", storeId);
  return url;
}

/** Removes leading zeros, because the source stores item numbers as numbers. */
const itemKey = (id: string): string => id.replace(/^0+(?=\d)/, "");

interface Items {
  readonly byKey: ReadonlyMap<string, AffiliateItem>;
  /**
   * True if the reply is complete. An item that is missing from a complete reply does not exist.
   */
  readonly isComplete: boolean;
}

const replySchema = v.object({ items: v.array(v.unknown()) });

/**
 * Parses a reply for `ids`. Returns null if the body has no list of items.
 *
 * The reply is complete if it reports no error and every entry is readable, was requested and
 * occurs once.
 */
function itemsOf(body: unknown, ids: readonly string[]): Items | null {
  const parsed = v.safeParse(replySchema, body);
  if (!parsed.success) return null;
  const asked = new Set(ids.map(itemKey));
  const byKey = new Map<string, AffiliateItem>();
  let isComplete = !reportsError(body);
  for (const entry of parsed.output.items) {
    const item = v.safeParse(affiliateItem, entry);
    const key = item.success ? itemKey(item.output.itemId) : "";
    if (!item.success || !asked.has(key) || byKey.has(key)) isComplete = false;
    else byKey.set(key, item.output);
  }
  return { byKey, isComplete };
}

/**
 * Returns the answer for an item. An item that the reply does not contain is `not_found` if the
 * reply is complete, otherwise `unavailable`.
 */
function answerFor(
  id: string,
  items: Items,
  read: Omit<Parameters<typeof affiliateAnswer>[1], "id">,
): Answer {
  const { fetchedAt } = read;
  const item = items.byKey.get(itemKey(id));
  if (item !== undefined) return affiliateAnswer(item, { id, ...read });
  return { id, status: items.isComplete ? "not_found" : "unavailable", fetchedAt };
}
