import type { ReadProductsData, ReadProductsResponse } from "./generated/schemas.ts";
import type { Transport } from "./transport.ts";

/** A product, with the `status` of its read. */
export type Product = ReadProductsResponse["results"][number];

export interface ReadAllOptions {
  readonly platform: "retailer_a" | "retailer_b" | "retailer_c" | "retailer_d";
  /** The tier of the read. Required on `retailer_a`. Default elsewhere: `standard`. */
  readonly tier?: "pulse" | "lite" | "full" | "standard";
  readonly marketplace?: string;
  /** The number of calls at the same time. Default: the limit of the account, at most 5. */
  readonly concurrency?: number;
  /** The number of IDs in each call. Default: the limit of the tier. */
  readonly batchSize?: number;
  /** The number of IDs that are already read: the `position` of an earlier batch. Default: 0. */
  readonly start?: number;
  readonly signal?: AbortSignal;
}

/** The results of one call. */
export interface ProductBatch {
  readonly results: readonly Product[];
  /** The charge of the call, in credits. */
  readonly credits: number;
  /** The number of IDs that are read so far. Store it, and send it as `start` to continue there. */
  readonly position: number;
}

const concurrencyMax = 5;

/** Reads products in one call or in several parallel calls. */
export class Products {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Reads products in one call. */
  read(
    body: ReadProductsData["body"],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<ReadProductsResponse> {
    return this.#transport.call("readProducts", { body, ...options });
  }

  /** Reads any number of products, in the order of the IDs. See `readBatches`. */
  async *readAll(
    ids: Iterable<string> | AsyncIterable<string>,
    options: ReadAllOptions,
  ): AsyncGenerator<Product, void, undefined> {
    for await (const { results } of this.readBatches(ids, options)) yield* results;
  }

  /**
   * Reads any number of products with several parallel calls. Each call has as many IDs as the tier
   * allows. Yields the batches in the order of the IDs. Holds at most `concurrency` batches, so the
   * memory does not grow with the number of IDs.
   * To continue after a failure, store the `position` of each batch together with its results. If
   * several batches contain the same ID, the service reads it in each of them.
   */
  async *readBatches(
    ids: Iterable<string> | AsyncIterable<string>,
    options: ReadAllOptions,
  ): AsyncGenerator<ProductBatch, void, undefined> {
    if (typeof ids === "string")
      throw new TypeError("'ids' must be a list of IDs, not a string. Pass an array.");
    requireAtLeast(1, "concurrency", options.concurrency);
    requireAtLeast(1, "batchSize", options.batchSize);
    requireAtLeast(0, "start", options.start);
    const stop = new AbortController();
    const signal =
      options.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, options.signal]);
    const size = options.batchSize ?? (await this.#batchSize(options));
    const concurrency = options.concurrency ?? (await this.#concurrency());
    const batches = batchesOf(ids, size, options.start ?? 0);
    const reading: Promise<ProductBatch>[] = [];
    const startNext = async (): Promise<void> => {
      const next = await batches.next();
      if (next.done !== true) reading.push(handled(this.#readBatch(next.value, options, signal)));
    };
    try {
      while (reading.length < concurrency) {
        const before = reading.length;
        await startNext();
        if (reading.length === before) break;
      }
      for (let first = reading.shift(); first !== undefined; first = reading.shift()) {
        yield await first;
        await startNext();
      }
    } finally {
      stop.abort();
      await batches.return(undefined);
    }
  }

  async #readBatch(
    { ids, position }: IdBatch,
    { platform, tier, marketplace }: ReadAllOptions,
    signal: AbortSignal,
  ): Promise<ProductBatch> {
    const optional = { ...(tier && { tier }), ...(marketplace && { marketplace }) };
    const body = { platform, ids, ...optional } as ReadProductsData["body"];
    const { results, credits } = await this.read(body, { signal });
    return { results, credits, position };
  }

  async #batchSize({ platform, tier }: ReadAllOptions): Promise<number> {
    const { data } = await this.#transport.call("listPlatforms");
    const found = data.find(({ id }) => id === platform);
    if (found === undefined) {
      const known = data.map(({ id }) => id).join(", ");
      throw new TypeError(
        `There is no platform '${platform}'. Set 'platform' to one of: ${known}.`,
      );
    }
    const tiers = found.endpoints.flatMap((endpoint) =>
      endpoint.id === "products" ? endpoint.tiers : [],
    );
    const wanted = tiers.find(({ id }) => id === (tier ?? "standard"));
    if (wanted === undefined) {
      const valid = tiers.map(({ id }) => id).join(", ");
      throw new TypeError(
        `The platform ${platform} has no tier '${tier ?? "standard"}'. Set 'tier' to one of: ${valid}.`,
      );
    }
    return wanted.max_items_per_call;
  }

  async #concurrency(): Promise<number> {
    const { concurrency } = await this.#transport.call("getAccount");
    return Math.min(concurrency.limit, concurrencyMax);
  }
}

function requireAtLeast(min: number, name: string, value: number | undefined): void {
  if (value !== undefined && (!Number.isSafeInteger(value) || value < min))
    throw new RangeError(`'${name}' must be an integer of at least ${min} (got ${value}).`);
}

/**
 * Returns `promise`, after marking its rejection as handled. Otherwise, Node.js would end the
 * process if a later batch fails while the caller still uses an earlier batch. The caller receives
 * the error after the results of the earlier batches.
 */
function handled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

interface IdBatch {
  readonly ids: string[];
  readonly position: number;
}

async function* batchesOf(
  ids: Iterable<string> | AsyncIterable<string>,
  size: number,
  start: number,
): AsyncGenerator<IdBatch, void, undefined> {
  let batch: string[] = [];
  let position = 0;
  for await (const id of ids) {
    position += 1;
    if (position <= start) continue;
    batch.push(id);
    if (batch.length === size) {
      yield { ids: batch, position };
      batch = [];
    }
  }
  if (batch.length > 0) yield { ids: batch, position };
}
