import type { KeyObject } from "node:crypto";
import * as v from "valibot";
import type { Clock } from "../../base/clock.ts";
import { currencyOf, platforms } from "../../platforms/catalogue.ts";
import { scrapers } from "../../scrapers/catalogue.ts";
import type { Answer, ReadRequest, Scraper } from "../../scrapers/scraper.ts";
import { affiliateAnswer } from "./fields.ts";
import { type AffiliateItem, affiliateItem } from "./item.ts";
import { rsaKey, signedHeaders } from "./signature.ts";
import { type BatchOutcome, readInBatches } from "../http/in-batches.ts";
import type { SourceCall, SourceClient, SourceReply } from "../http/source-client.ts";
import type { OpenSecret } from "../contract/open-secret.ts";
import { jsonOf, statusOf } from "../contract/reply-json.ts";
import { replyProblem, reportsError } from "../contract/reply-error.ts";
import { statusProblem } from "../contract/status-problem.ts";

export interface AffiliateOptions {
  /** Where the item API is; `/items` is put behind it. */
  readonly baseUrl: string;
  readonly consumerId: string;
  readonly keyVersion: string;
  /** Puts this number into links; they are given instead of the plain ones then. */
  readonly publisherId?: string | undefined;
  /** Reads prices and stock as they are there. */
  readonly zipCode?: string | undefined;
  readonly storeId?: string | undefined;
  /** Name of the seller where the retailer sells itself; the platform's name by default. */
  readonly retailerName?: string | undefined;
}

export interface AffiliateDependencies {
  readonly client: SourceClient;
  readonly clock: Clock;
  /** The RSA private key as PEM; asked for at every signature. */
  readonly privateKey: OpenSecret;
  /** Told what an operator must mend; holds nothing secret. */
  readonly note?: ((problem: string) => void) | undefined;
}

/** Ids that the API takes in one call. */
const batchIdsMax = 20;
/** Batches of one read that are in work at one time. */
const batchesAtOnceMax = 5;
const okStatus = 200;
const refusedStatus = 400;
const keyRefusedStatuses: ReadonlySet<number> = new Set([401, 403]);
/** The source as a whole is busy, whatever it is asked for. */
const busyStatus = 503;

/**
 * Reads retailer_b from an affiliate item API that answers twenty item numbers at a time.
 * `not_found` is what a whole reply leaves out.
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
  const problem = replyProblem(body, { asked: ids.length, found: items?.byKey.size });
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

function failureOf(
  reply: SourceReply | null,
  ids: readonly string[],
  { note }: AffiliateDependencies,
): BatchOutcome<Answer> {
  if (reply?.kind === "too_large") return { kind: "failed" };
  if (reply?.kind !== "answered") return { kind: "none" };
  const { status } = reply;
  const isRefused = status === refusedStatus;
  // A batch that is refused is no trouble as long as its parts are not.
  const problem = isRefused && ids.length > 1 ? undefined : problemOf(status);
  if (problem !== undefined) note?.(`b_affiliate: the source ${problem}`);
  if (isRefused) return { kind: "refused" };
  return { kind: status >= 500 && status !== busyStatus ? "failed" : "none" };
}

const problemOf = (status: number): string | undefined =>
  keyRefusedStatuses.has(status)
    ? `refuses the key or its signature (${status})`
    : statusProblem(status);

/** Null without a key. */
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
    // A try may have to wait for longer than the source takes a signature, three minutes.
    headers: () => ({
      Accept: "application/json",
      ...signedHeaders({ ...options, privateKey }, clock.now()),
    }),
  };
  return client.send(call, request.deadline);
}

async function usableKey({ privateKey, note }: AffiliateDependencies): Promise<KeyObject | null> {
  const pem = await privateKey();
  if (pem === null) return null;
  const key = rsaKey(pem);
  if (key === null) {
    note?.("b_affiliate: the secret holds no RSA private key: put the key itself into it, as PEM");
  }
  return key;
}

function addressOf(ids: readonly string[], options: AffiliateOptions): URL {
  const { baseUrl, publisherId, zipCode, storeId } = options;
  const url = new URL(`${baseUrl.replace(/\/+$/, "")}/items`);
  url.searchParams.set("ids", [...new Set(ids.map(itemKey))].join(","));
  if (publisherId !== undefined) url.searchParams.set("publisherId", publisherId);
  if (zipCode !== undefined) url.searchParams.set("zipCode", zipCode);
  if (storeId !== undefined) url.searchParams.set("storeId", storeId);
  return url;
}

/** Item numbers are numbers to the source, so leading zeros get lost on the way. */
const itemKey = (id: string): string => id.replace(/^0+(?=\d)/, "");

interface Items {
  readonly byKey: ReadonlyMap<string, AffiliateItem>;
  /** True when the reply proves that an id it does not hold does not exist. */
  readonly isComplete: boolean;
}

const replySchema = v.object({ items: v.array(v.unknown()) });

/**
 * The items of a reply to a question for `ids`; null when it is none. Absence proves something only
 * where every entry is readable, was asked for and stands there once, and no trouble is told beside.
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
