import type { ScraperId } from "./catalogue.ts";

/**
 * What a product read found, named as in a result (`RetailerDFields` for retailer_d); a field the
 * source does not show is absent, null is known to be nothing.
 */
export type ProductFields = Readonly<Record<string, unknown>>;

export interface ReadRequest {
  readonly scraper: ScraperId;
  readonly marketplace: string;
  /** Normalised, unique ids of the scraper's platform. */
  readonly ids: readonly string[];
  /** When the answer must be there: ids not read by then are `unavailable`. */
  readonly deadline: Date;
}

/** One item's answer. `fetchedAt` is ISO 8601 UTC. */
export type Answer =
  /** Everything the tier promises was read. */
  | {
      readonly id: string;
      readonly status: "ok";
      readonly fetchedAt: string;
      readonly fields: ProductFields;
    }
  /** The item is proven to exist, but a promised field is missing. */
  | {
      readonly id: string;
      readonly status: "partial";
      readonly fetchedAt: string;
      readonly fields: ProductFields;
    }
  /** The source positively says that there is no such item; charged, and it delists. */
  | { readonly id: string; readonly status: "not_found"; readonly fetchedAt: string }
  /** Everything else. */
  | { readonly id: string; readonly status: "unavailable"; readonly fetchedAt: string };

export type ReadStatus = Answer["status"];

/**
 * A source of item data. Answers every id asked for exactly once, in the order asked, by the
 * deadline; it never throws for what a source does (that is `unavailable`), only for broken
 * configuration.
 */
export interface Scraper {
  read(request: ReadRequest): Promise<readonly Answer[]>;
}
