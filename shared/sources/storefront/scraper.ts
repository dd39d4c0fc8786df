import { currencyOf } from "../../platforms/catalog.ts";
import { scrapers } from "../../scrapers/catalog.ts";
import type { Answer, ReadRequest, Scraper } from "../../scrapers/scraper.ts";
import { statusProblem } from "../contract/status-problem.ts";
import { batchSize } from "../http/batch-size.ts";
import {
  batchFailureOf,
  type BatchOutcome,
  isBusyStatus,
  readInBatches,
} from "../http/in-batches.ts";
import { type CatalogReply, isReportedMissing, variantFor } from "./catalog-reply.ts";
import type { StoreDependencies, StoreOptions } from "./endpoint.ts";
import { type CallTool, type StoreReply, toolCaller } from "./exchange.ts";
import { storefrontAnswer, type StorefrontPlatform } from "./fields.ts";
import { isBareTemplate, storeIdOf } from "./item-id.ts";
import type { FoundVariant } from "./product.ts";
import { contextOf } from "./tool-call.ts";
import {
  asksToWait,
  isAboutRate,
  rpcCodes,
  type ToolError,
  versionUnsupported,
} from "./tool-reply.ts";

export interface StorefrontOptions extends StoreOptions {
  /** The template of the store's IDs, which contains `{id}` in place of the item's ID. */
  readonly idTemplate: string;
  /** The name of the store's owner. */
  readonly retailerName?: string | undefined;
  /** The maximum number of IDs in one call. */
  readonly batchIdsMax: number;
  readonly callsAtOnceMax: number;
}

const okStatus = 200;
/** Number of IDs per call that every store should accept. */
const batchIdsUsual = 10;

/**
 * Creates the scraper of one store that offers its catalog through the Universal Commerce Protocol.
 *
 * An item is `not_found` only if the store reports the item's ID as not found. An item that a reply
 * does not mention is `unavailable`. A read for retailer_a throws Error.
 */
export function storefrontScraper(
  options: StorefrontOptions,
  dependencies: StoreDependencies,
): Scraper {
  const { clock } = dependencies;
  const size = batchSize(options.batchIdsMax, { clock, reducedMin: batchIdsUsual });
  const call = toolCaller(options, dependencies);
  return {
    async read(request) {
      const { platform } = scrapers[request.scraper];
      if (platform === "retailer_a") {
        throw new Error("storefront: retailer_a is not supported. Configure another adapter.");
      }
      const reading = { request, platform, call, options, dependencies };
      return readInBatches(request.ids, {
        batchMax: size,
        atOnce: options.callsAtOnceMax,
        read: (ids) => readBatch(ids, reading),
        unread: (id) => ({ id, status: "unavailable", fetchedAt: clock.now().toISOString() }),
      });
    },
  };
}

interface StoreReading {
  readonly request: ReadRequest;
  readonly platform: StorefrontPlatform;
  readonly call: CallTool;
  readonly options: StorefrontOptions;
  readonly dependencies: StoreDependencies;
}

/** Reads items in one call of the tool `lookup_catalog`. */
async function readBatch(
  ids: readonly string[],
  reading: StoreReading,
): Promise<BatchOutcome<Answer>> {
  const { request, call, options } = reading;
  const context = contextOf(request.marketplace);
  const asked = ids.map((id) => storeIdOf(options.idTemplate, id));
  const catalog = { ids: asked, ...(context && { context }) };
  const replied = await call("lookup_catalog", catalog, request.deadline);
  return replied === null ? { kind: "none" } : outcomeOf(ids, replied, reading);
}

/** Returns the outcome of a call, and warns the operator of a problem that must be fixed. */
function outcomeOf(
  ids: readonly string[],
  { reply, parsed, catalog }: StoreReply,
  reading: StoreReading,
): BatchOutcome<Answer> {
  const { note } = reading.dependencies;
  if (reply.kind !== "answered") {
    return { kind: reply.kind === "too_large" ? "failed" : "none" };
  }
  const { status } = reply;
  if (status >= 500 || isBusyStatus(status)) return { kind: batchFailureOf(status) };
  if (parsed.kind === "error") return errorOutcome(parsed, ids.length, note);
  if (status !== okStatus) return statusOutcome(status, ids.length, note);
  if (catalog === null) {
    note?.("storefront: the store sends an unreadable reply with status 200; check baseUrl");
    return { kind: "none" };
  }
  return catalogOutcome(ids, catalog, reading);
}

type Note = StoreDependencies["note"];

/**
 * Returns the outcome of a call with another status than 200.
 * @param count number of IDs in the call
 */
function statusOutcome(status: number, count: number, note: Note): BatchOutcome<Answer> {
  const kind = batchFailureOf(status);
  // A refused batch is read again in smaller batches, so only a refused single item is a problem.
  const isSplit = (kind === "refused" || kind === "too_many") && count > 1;
  const problem = isSplit ? undefined : statusProblem(status);
  if (problem !== undefined) note?.(`storefront: the store ${problem}`);
  return { kind };
}

/**
 * Returns the outcome of a call that the store refused with an error.
 * @param count number of IDs in the call
 */
function errorOutcome(error: ToolError, count: number, note: Note): BatchOutcome<Answer> {
  const { code, text } = error;
  if (asksToWait(error)) {
    note?.("storefront: the store refuses calls because it gets too many; lower callsPerSecond");
    return { kind: "none" };
  }
  if (code === rpcCodes.invalidParams || code === undefined) {
    const isLarge = code === rpcCodes.invalidParams && count > batchIdsUsual;
    if (isLarge || isAboutSize(text, count)) return { kind: "too_many" };
    if (count === 1)
      note?.("storefront: the store refuses a call for a single ID; check idTemplate");
    return { kind: "refused" };
  }
  note?.(`storefront: ${problemOf(error)}`);
  return { kind: "none" };
}

/** Matches words in the messages with which stores refuse a batch because of its size. */
const sizeWords = /\b(?:max(?:imum)?|limit(?:ed)?|at most|too (?:many|large)|exceed\w*|batch)\b/i;

/**
 * Returns true if the message of a store probably refuses a batch because of its size. The protocol
 * has one code for all invalid parameters and does not define the text, so the words decide. A
 * single ID is never too many.
 */
const isAboutSize = (text: string, count: number): boolean => count > 1 && sizeWords.test(text);

/** Returns the end of a warning about an error of the store. */
function problemOf({ code, reason }: ToolError): string {
  if (code === rpcCodes.negotiationFailed) {
    return reason === versionUnsupported
      ? "the store does not support the protocol version of the agent profile; put {version} into profileUrl"
      : "the store cannot use the agent profile at profileUrl, which must be a public https:// document";
  }
  if (code === rpcCodes.unknownMethod) {
    return "the store does not offer the tool lookup_catalog; configure another adapter";
  }
  const problem = code === rpcCodes.serverError ? "refuses calls" : "returns an error";
  return `the store ${problem} (${code}); check the options of the adapter`;
}

/**
 * Returns the outcome of a call with readable content: the answers, or the failure that the content
 * reports.
 */
function catalogOutcome(
  ids: readonly string[],
  catalog: CatalogReply,
  { request, platform, options, dependencies }: StoreReading,
): BatchOutcome<Answer> {
  const { clock, note } = dependencies;
  const { products, errors } = catalog;
  if (products.length === 0 && errors.length > 0) {
    if (errors.some(({ code, text }) => isAboutRate(`${code ?? ""} ${text}`))) {
      note?.("storefront: the store refuses calls because it gets too many; lower callsPerSecond");
      return { kind: "none" };
    }
    if (errors.some(({ text }) => isAboutSize(text, ids.length))) return { kind: "too_many" };
    note?.(
      "storefront: the store reports an error in a reply with status 200; check the options of the adapter",
    );
    return { kind: "none" };
  }
  const fetchedAt = clock.now().toISOString();
  const currency = currencyOf(platform, request.marketplace);
  const isVariantId = !isBareTemplate(options.idTemplate);
  const results = ids.map((id): Answer => {
    const storeId = storeIdOf(options.idTemplate, id);
    const variant = variantFor(storeId, catalog, isVariantId);
    if (variant === undefined) {
      const isMissing = isReportedMissing(storeId, catalog);
      return { id, status: isMissing ? "not_found" : "unavailable", fetchedAt };
    }
    // The store returned prices of another country.
    if (isForeign(variant, currency)) {
      note?.(
        `storefront: the store returns prices in another currency than ${currency}; configure a store of this marketplace`,
      );
      return { id, status: "unavailable", fetchedAt };
    }
    const { retailerName } = options;
    return storefrontAnswer(variant, { id, platform, currency, fetchedAt, retailerName });
  });
  return { kind: "read", results };
}

/** Returns true if a variant has a price in another currency. */
const isForeign = ({ variant: { price } }: FoundVariant, currency: string): boolean =>
  price !== undefined && price.currency !== currency;
