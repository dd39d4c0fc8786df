/**
 * Serves a products API with recorded products, so that the adapter `d_catalog` runs without a key
 * for the real API.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import * as v from "valibot";
import { serveFrom } from "../local/local-server.ts";

/** A product as the API sends it: an SKU and any other fields. */
export type RecordedProduct = Readonly<Record<string, unknown>> & { readonly sku: number };

/** A valid products request that the server received. */
export interface ReplayedCall {
  /** The SKUs in the request. */
  readonly skus: readonly string[];
  readonly page: number;
  readonly pageSize: number;
}

/** A running server of recorded products. */
export interface ReplayCatalog {
  /** The base URL for the adapter's configuration. */
  readonly url: string;
  /** All valid products requests, oldest first. */
  readonly requests: readonly ReplayedCall[];
  /**
   * Changes the price of a product in later replies.
   * @throws Error if there is no product with this SKU
   */
  setPrice(sku: number, price: number): void;
  stop(): Promise<void>;
}

const ownRecordings = new URL("../../test/fixtures/catalog", import.meta.url).pathname;
const pageSizeDefault = 10;
const pageSizeMax = 100;

const product = v.looseObject({ sku: v.pipe(v.number(), v.integer()) });
const recordings = v.array(v.looseObject({ response: v.unknown() }));
const listReply = v.looseObject({ products: v.array(product) });

/**
 * Loads the products of the recorded replies in a folder. A product that occurs in several replies
 * is returned once, with the fields of all these replies. Fields that no reply contains get default
 * values, with which the product can be bought.
 * @param folder if it does not exist, the project's own recordings are used
 */
export function loadRecordedProducts(folder: string = ownRecordings): RecordedProduct[] {
  const foundFolder = existsSync(folder) ? folder : ownRecordings;
  const bySku = new Map<number, RecordedProduct>();
  for (const name of readdirSync(foundFolder).filter((file) => file.endsWith(".json"))) {
    const content: unknown = JSON.parse(readFileSync(join(foundFolder, name), "utf8"));
    for (const one of productsIn(content)) bySku.set(one.sku, { ...bySku.get(one.sku), ...one });
  }
  return [...bySku.values()].map(complete);
}

function productsIn(content: unknown): RecordedProduct[] {
  const parsed = v.safeParse(recordings, content);
  if (!parsed.success) return [];
  return parsed.output.flatMap(({ response }) => {
    const reply = v.safeParse(listReply, response);
    return reply.success ? reply.output.products : [];
  });
}

const complete = (one: RecordedProduct): RecordedProduct => ({
  active: true,
  regularPrice: one["salePrice"],
  onlineAvailability: true,
  onlineAvailabilityText: "Delivery: Most Areas",
  orderable: "Available",
  condition: "New",
  ...one,
});

/**
 * Starts a server on loopback that returns the recorded products. `setPrice` throws an Error for an
 * SKU that was not recorded.
 * @param options `port` 0 means any free port. If any other port is in use, the server takes the
 * next free port.
 */
export async function startReplayCatalog(options: {
  readonly products: readonly RecordedProduct[];
  readonly port: number;
}): Promise<ReplayCatalog> {
  const products = new Map(options.products.map((one) => [one.sku, one]));
  const requests: ReplayedCall[] = [];
  const server = await serveFrom(options.port, (request, response) => {
    answer(request, response, { products, requests });
  });
  return {
    url: server.url,
    requests,
    setPrice(sku, price) {
      const before = products.get(sku);
      if (before === undefined)
        throw new Error(
          `The recorded products do not contain the SKU ${sku}. Use a SKU of the recording.`,
        );
      products.set(sku, { ...before, salePrice: price });
    },
    stop: async () => server.close(),
  };
}

interface Replay {
  readonly products: ReadonlyMap<number, RecordedProduct>;
  readonly requests: ReplayedCall[];
}

function answer(request: IncomingMessage, response: ServerResponse, replay: Replay): void {
  const url = new URL(request.url ?? "/", "http://replay.invalid");
  const asked = /^\/v1\/products\(sku in\(([\d,]+)\)\)$/.exec(decodeURIComponent(url.pathname));
  if (asked?.[1] === undefined) {
    const message = "Couldn't understand the query";
    send(response, 400, { error: { code: 400, status: "400 Bad Request", message } });
    return;
  }
  const skus = asked[1].split(",");
  const page = positive(url.searchParams.get("page"), 1);
  const pageSize = Math.min(
    pageSizeMax,
    positive(url.searchParams.get("pageSize"), pageSizeDefault),
  );
  replay.requests.push({ skus, page, pageSize });
  send(response, 200, replyTo({ skus, page, pageSize }, url.searchParams, replay.products));
}

function replyTo(
  { skus, page, pageSize }: ReplayedCall,
  query: URLSearchParams,
  products: Replay["products"],
): Record<string, unknown> {
  const matching = [...new Set(skus.map(Number))]
    .map((sku) => products.get(sku))
    .filter((one) => one !== undefined)
    .filter((one) => query.get("active") === "*" || one["active"] !== false);
  const from = (page - 1) * pageSize;
  const shown = matching.slice(from, from + pageSize);
  return {
    from: from + 1,
    to: from + shown.length,
    currentPage: page,
    total: matching.length,
    totalPages: Math.ceil(matching.length / pageSize),
    queryTime: "0.001",
    totalTime: "0.001",
    partial: false,
    products: shown.map((one) => only(one, query.get("show"))),
  };
}

function only(one: RecordedProduct, show: string | null): Record<string, unknown> {
  if (show === null || show === "all") return one;
  const names = new Set(show.split(","));
  return Object.fromEntries(Object.entries(one).filter(([name]) => names.has(name)));
}

function positive(text: string | null, otherwise: number): number {
  const number = Number(text ?? "");
  return Number.isInteger(number) && number > 0 ? number : otherwise;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json; charset=UTF-8" });
  response.end(JSON.stringify(body));
}
