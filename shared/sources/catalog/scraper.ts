import type { Clock } from "../../base/clock.ts";
import { currencyOf } from "../../platforms/catalog.ts";
import { scrapers } from "../../scrapers/catalog.ts";
import type { Answer, ReadRequest, Scraper } from "../../scrapers/scraper.ts";
import { catalogAnswer, catalogFieldNames } from "./product.ts";
import { forbiddenReason } from "./forbidden.ts";
import { type CatalogReply, parseCatalogReply, skuKey } from "./reply.ts";
import {
  batchFailureOf,
  type BatchOutcome,
  isBusyStatus,
  readInBatches,
} from "../http/in-batches.ts";
import type { SourceClient, SourceReply } from "../http/source-client.ts";
import type { OpenSecret } from "../contract/open-secret.ts";
import { jsonOf, statusOf } from "../contract/reply-json.ts";
import { replyProblem } from "../contract/reply-error.ts";

export interface CatalogOptions {
  /** The products API's address, to which `/v1/products(…)` is appended. */
  readonly baseUrl: string;
  /** The maximum number of IDs in one call. The API accepts at most 100. */
  readonly batchIdsMax: number;
  readonly callsAtOnceMax: number;
}

export interface CatalogDependencies {
  readonly client: SourceClient;
  readonly clock: Clock;
  /**
   * Returns the API key, which is sent in the query and never logged. Absent if the API needs no
   * key.
   */
  readonly secret?: OpenSecret;
  /** Receives warnings for the operator. They contain no secret. */
  readonly note?: ((problem: string) => void) | undefined;
}

const okStatus = 200;
const forbiddenStatus = 403;

/**
 * Creates the scraper of `retailer_d` for a products API, which accepts 100 stock numbers in one
 * call.
 *
 * An item is `not_found` if it is not active or a complete reply does not contain it, and
 * `unavailable` if the source could not read it.
 */
export function catalogScraper(
  options: CatalogOptions,
  dependencies: CatalogDependencies,
): Scraper {
  const { clock } = dependencies;
  return {
    read: (request) =>
      readInBatches(request.ids, {
        batchMax: options.batchIdsMax,
        atOnce: options.callsAtOnceMax,
        read: (ids) => readBatch(ids, { request, options, dependencies }),
        unread: (id) => ({ id, status: "unavailable", fetchedAt: clock.now().toISOString() }),
      }),
  };
}

interface BatchReading {
  readonly request: ReadRequest;
  readonly options: CatalogOptions;
  readonly dependencies: CatalogDependencies;
}

/** Reads items in one call. Warns the operator of a refused call or an unreadable reply. */
async function readBatch(
  ids: readonly string[],
  { request, options, dependencies }: BatchReading,
): Promise<BatchOutcome<Answer>> {
  const { client, clock, note } = dependencies;
  if (request.deadline <= clock.now()) return { kind: "none" };
  const url = await addressOf(ids, options, dependencies);
  if (url === null) return { kind: "none" };
  const headers = { Accept: "application/json" };
  const response = await client.send({ method: "GET", url, headers }, request.deadline);
  if (statusOf(response) !== okStatus) return failureOf(response, ids, dependencies);
  const body = jsonOf(response);
  const reply = parseCatalogReply(body, ids);
  const problem = replyProblem(body, { asked: ids.length, foundCount: reply?.products.size });
  if (problem !== undefined) note?.(`d_catalog: the source ${problem}`);
  if (reply === null) return { kind: "none" };
  const read = {
    fetchedAt: clock.now().toISOString(),
    currency: currencyOf(scrapers[request.scraper].platform, request.marketplace),
  };
  return { kind: "read", results: ids.map((id) => answerFor(id, reply, read)) };
}

/**
 * Returns the outcome of a call without status 200. Warns of a problem that an operator must fix.
 */
function failureOf(
  reply: SourceReply,
  ids: readonly string[],
  { note }: CatalogDependencies,
): BatchOutcome<Answer> {
  if (reply.kind !== "answered") return { kind: reply.kind === "too_large" ? "failed" : "none" };
  const { status } = reply;
  const kind = batchFailureOf(status);
  // A refused batch is read again in smaller batches, so only the refusal of a single item needs a
  // warning.
  const isSplit = (kind === "refused" || kind === "too_many") && ids.length > 1;
  const problem = isSplit ? undefined : problemOf(reply);
  if (problem !== undefined) {
    const remedy = problem === keyRefused ? "check the secret" : "check the options of the adapter";
    note?.(`d_catalog: the source ${problem} (${status}); ${remedy}`);
  }
  return { kind };
}

type Answered = Extract<SourceReply, { kind: "answered" }>;

const keyRefused = "refuses the key";

/** Returns the problem that an operator must fix; undefined for a temporary problem. */
function problemOf(reply: Answered): string | undefined {
  const { status } = reply;
  if (status === 401) return keyRefused;
  if (status !== forbiddenStatus) {
    return status >= 500 || isBusyStatus(status) ? undefined : "refuses calls";
  }
  const forbidden = forbiddenReason(reply);
  if (forbidden === "rate_limited") return undefined;
  return forbidden === "wrong_key" ? keyRefused : "refuses calls";
}

/** Returns the address of a call for `ids`; null if an API key is configured but cannot be read. */
async function addressOf(
  ids: readonly string[],
  { baseUrl, batchIdsMax }: CatalogOptions,
  { secret }: CatalogDependencies,
): Promise<URL | null> {
  const list = ids.map(skuKey).join(",");
  const url = new URL(`${baseUrl.replace(/\/+$/, "")}/v1/products(sku in(${list}))`);
  if (secret !== undefined) {
    const key = await secret();
    if (key === null) return null;
    url.searchParams.set("apiKey", key);
  }
  url.searchParams.set("format", "json");
  url.searchParams.set("pageSize", String(batchIdsMax));
  url.searchParams.set("show", catalogFieldNames.join(","));
  // By default, the API omits products that are no longer sold.
  url.searchParams.set("active", "*");
  return url;
}

/**
 * Returns the answer for an item. An item that the reply does not contain is `not_found` if the
 * reply is complete, otherwise `unavailable`.
 */
function answerFor(
  id: string,
  reply: CatalogReply,
  read: { readonly fetchedAt: string; readonly currency: string },
): Answer {
  const product = reply.products.get(skuKey(id));
  if (product !== undefined) return catalogAnswer(product, { id, ...read });
  return {
    id,
    status: reply.isComplete ? "not_found" : "unavailable",
    fetchedAt: read.fetchedAt,
  };
}
