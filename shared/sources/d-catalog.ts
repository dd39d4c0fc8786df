import type { Clock } from "../base/clock.ts";
import { currencyOf } from "../platforms/catalogue.ts";
import { scrapers } from "../scrapers/catalogue.ts";
import type { Answer, ReadRequest, Scraper } from "../scrapers/scraper.ts";
import { catalogAnswer, catalogFieldNames } from "./d-catalog-product.ts";
import { type CatalogReply, parseCatalogReply, skuKey } from "./d-catalog-reply.ts";
import { type BatchOutcome, readInBatches } from "./http/in-batches.ts";
import { temporaryStatuses } from "./http/polite-client.ts";
import type { SourceClient, SourceReply } from "./http/source-client.ts";
import { jsonOf } from "./reply-json.ts";
import type { OpenSecret } from "./open-secret.ts";

export interface DCatalogOptions {
  /** Where the products API is; `/v1/products(…)` is put behind it. */
  readonly baseUrl: string;
  /** Ids of one call; the API takes no more than 100. */
  readonly batchIdsMax: number;
  readonly callsAtOnceMax: number;
}

export interface DCatalogDependencies {
  readonly client: SourceClient;
  readonly clock: Clock;
  /** Sent in the query, as the API wants it; never shown anywhere. Absent where none is wanted. */
  readonly secret?: OpenSecret;
}

const okStatus = 200;
const refusedStatus = 400;
/** The API says 403 when it is called too often. */
const tooOftenStatus = 403;
/** The source as a whole is busy, whatever it is asked for. */
const busyStatuses: ReadonlySet<number> = new Set([408, 425, 429, 503]);

/** Statuses by which the products API says "not now". */
export const isCatalogTemporary = (status: number): boolean =>
  status === tooOftenStatus || temporaryStatuses.has(status);

/** Reads retailer_d from a products API that answers a hundred stock numbers at a time. */
export function dCatalog(options: DCatalogOptions, dependencies: DCatalogDependencies): Scraper {
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
  readonly options: DCatalogOptions;
  readonly dependencies: DCatalogDependencies;
}

async function readBatch(
  ids: readonly string[],
  { request, options, dependencies }: BatchReading,
): Promise<BatchOutcome<Answer>> {
  const { client, clock } = dependencies;
  if (request.deadline <= clock.now()) return { kind: "none" };
  const url = await addressOf(ids, options, dependencies);
  if (url === null) return { kind: "none" };
  const headers = { Accept: "application/json" };
  const response = await client.send({ method: "GET", url, headers }, request.deadline);
  if (response.kind !== "answered" || response.status !== okStatus) return failureOf(response);
  const reply = parseCatalogReply(jsonOf(response), ids);
  if (reply === null) return { kind: "none" };
  const read = {
    fetchedAt: clock.now().toISOString(),
    currency: currencyOf(scrapers[request.scraper].platform, request.marketplace),
  };
  return { kind: "read", results: ids.map((id) => answerFor(id, reply, read)) };
}

function failureOf(reply: SourceReply): BatchOutcome<Answer> {
  if (reply.kind !== "answered") return { kind: reply.kind === "too_large" ? "failed" : "none" };
  if (reply.status === refusedStatus) return { kind: "refused" };
  return { kind: reply.status >= 500 && !busyStatuses.has(reply.status) ? "failed" : "none" };
}

/** Null when the key cannot be opened. */
async function addressOf(
  ids: readonly string[],
  { baseUrl, batchIdsMax }: DCatalogOptions,
  { secret }: DCatalogDependencies,
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
  // Without this the API leaves out what is no longer sold.
  url.searchParams.set("active", "*");
  return url;
}

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
