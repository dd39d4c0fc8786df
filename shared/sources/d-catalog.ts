import type { Chance, Clock } from "../base/clock.ts";
import { currencyOf } from "../platforms/catalogue.ts";
import { scrapers } from "../scrapers/catalogue.ts";
import type { Answer, ReadRequest, Scraper } from "../scrapers/scraper.ts";
import { catalogAnswer, catalogFieldNames } from "./d-catalog-product.ts";
import { type CatalogReply, parseCatalogReply, skuKey } from "./d-catalog-reply.ts";
import { getWithRetries, type HttpSource, temporaryStatuses } from "./http/get-with-retries.ts";
import { inParallel } from "./http/in-parallel.ts";
import { evenPacer } from "./http/pacer.ts";
import type { TryOutcome } from "./http/try-once.ts";

export interface DCatalogOptions {
  /** Where the products API is; `/v1/products(…)` is put behind it. */
  readonly baseUrl: string;
  /** Sent in the query, as the API wants it; never shown anywhere. */
  readonly apiKey?: string | undefined;
  readonly callsPerSecond: number;
  readonly callsAtOnceMax: number;
}

/** Ids that the API takes in one call. */
const batchIdsMax = 100;
const replyBytesMax = 5 * 1024 * 1024;
/** How often one batch is cut in two to find the ids that the API refuses. */
const splitsMax = 21;
/** The API says 403 when it is called too often. */
const tooOftenStatus = 403;
const refusedStatus = 400;

/** Reads retailer_d from a products API that answers a hundred stock numbers at a time. */
export function dCatalog(
  options: DCatalogOptions,
  { clock, chance }: { readonly clock: Clock; readonly chance: Chance },
): Scraper {
  const source: HttpSource = {
    clock,
    chance,
    pacer: evenPacer(options.callsPerSecond, clock),
    headers: { Accept: "application/json", "Accept-Language": "en-US" },
    bytesMax: replyBytesMax,
    isTemporary: (status) => status === tooOftenStatus || temporaryStatuses.has(status),
  };
  return {
    async read(request) {
      const answers = await inParallel(inBatches(request.ids), options.callsAtOnceMax, (ids) =>
        readBatch(ids, { request, options, source, splitsLeft: splitsMax }),
      );
      return answers.flat();
    },
  };
}

interface BatchReading {
  readonly request: ReadRequest;
  readonly options: DCatalogOptions;
  readonly source: HttpSource;
  splitsLeft: number;
}

const inBatches = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / batchIdsMax) }, (_, n) =>
    ids.slice(n * batchIdsMax, (n + 1) * batchIdsMax),
  );

/** One call for the ids, or several where the API refuses them together. */
async function readBatch(ids: readonly string[], reading: BatchReading): Promise<Answer[]> {
  const { request, options, source } = reading;
  const outcome = await getWithRetries(addressOf(ids, options), request.deadline, source);
  if (isRefusal(outcome) && ids.length > 1 && reading.splitsLeft > 0) {
    reading.splitsLeft -= 1;
    const middle = Math.ceil(ids.length / 2);
    const first = await readBatch(ids.slice(0, middle), reading);
    return [...first, ...(await readBatch(ids.slice(middle), reading))];
  }
  const isAnswer = outcome?.kind === "answered" && outcome.status === 200;
  const reply = isAnswer ? parseCatalogReply(outcome.text, ids) : null;
  const read = {
    fetchedAt: source.clock.now().toISOString(),
    currency: currencyOf(scrapers[request.scraper].platform, request.marketplace),
  };
  return ids.map((id) => answerFor(id, reply, read));
}

function addressOf(ids: readonly string[], { baseUrl, apiKey }: DCatalogOptions): URL {
  const list = ids.map(skuKey).join(",");
  const url = new URL(`${baseUrl.replace(/\/+$/, "")}/v1/products(sku in(${list}))`);
  if (apiKey !== undefined) url.searchParams.set("apiKey", apiKey);
  url.searchParams.set("format", "json");
  url.searchParams.set("pageSize", String(batchIdsMax));
  url.searchParams.set("show", catalogFieldNames.join(","));
  // Without this the API leaves out what is no longer sold.
  url.searchParams.set("active", "*");
  return url;
}

const isRefusal = (outcome: TryOutcome | null): boolean =>
  outcome?.kind === "answered" && outcome.status === refusedStatus;

function answerFor(
  id: string,
  reply: CatalogReply | null,
  read: { readonly fetchedAt: string; readonly currency: string },
): Answer {
  const { fetchedAt } = read;
  if (reply === null) return { id, status: "unavailable", fetchedAt };
  const product = reply.products.get(skuKey(id));
  if (product !== undefined) return catalogAnswer(product, { id, ...read });
  return { id, status: reply.isComplete ? "not_found" : "unavailable", fetchedAt };
}
