import type { Step } from "../../shared/pipelines/definition.ts";
import { type Snapshot, type StepScraperId, stepScrapers } from "../../shared/scrapers/catalog.ts";
import type { ReadStatus } from "../../shared/scrapers/scraper.ts";

/** A source's scripted answer about an item in one run. */
export type Look = ProductLook | OffersLook | CheckLook;

export interface ProductLook {
  readonly status: ReadStatus;
  /** Values by snapshot field. The source does not show an absent field. */
  readonly fields: Snapshot;
}

export interface OffersLook {
  readonly status: "ok" | "not_found" | "unavailable";
  readonly total: number;
  readonly offers: readonly {
    readonly offerListingId: string;
    readonly price: number;
    readonly condition: string;
    readonly seller: string;
    readonly isBuybox: boolean;
  }[];
}

export interface CheckLook {
  readonly status: "ok" | "unavailable";
  /** The IDs of the item's offers that can be bought. */
  readonly buyable: readonly string[];
}

/**
 * The scripted answers about an item, by scraper. Each run uses the next answer. After the last
 * answer, the first one follows again.
 */
export type ItemLooks = Readonly<Partial<Record<StepScraperId, readonly Look[]>>>;

/** A source's answer in the form that a step of the model uses. */
export interface ModelAnswer {
  readonly status: ReadStatus;
  /** The price in quarters of a credit. */
  readonly quarters: number;
  readonly seen: Snapshot;
  /**
   * The ID of the offer in the buy box; null if there is none, undefined if the answer does not
   * show it.
   */
  readonly offer?: string | null;
}

interface Question {
  readonly step: Step;
  readonly looks: ItemLooks;
  readonly at: number;
  readonly offer: string | null;
}

/**
 * Returns the scripted answer about an item in a run; undefined if the scraper has no answers about
 * it.
 * @param at the index of the run, from 0
 */
export function lookAt(looks: ItemLooks, scraper: StepScraperId, at: number): Look | undefined {
  const script = looks[scraper];
  return script?.[at % script.length];
}

/**
 * Returns the answer that a step gets about an item; `unavailable` if the scraper has no scripted
 * answers about it. Returns null for an offer check if no offer is known.
 */
export function answerOf({ step, looks, at, offer }: Question): ModelAnswer | null {
  if (step.scraper === "retailer_a.offer_check" && offer === null) return null;
  const look = lookAt(looks, step.scraper, at);
  if (look === undefined) return { status: "unavailable", quarters: 0, seen: {} };
  if ("fields" in look) return productAnswer(step, look);
  if ("offers" in look) return offersAnswer(step, look);
  return look.status === "ok"
    ? { status: "ok", quarters: 2, seen: { buyable: look.buyable.includes(offer ?? "") } }
    : { status: look.status, quarters: 0, seen: {} };
}

function productAnswer({ scraper }: Step, { status, fields }: ProductLook): ModelAnswer {
  const quarters = status === "ok" || status === "not_found" ? rateOf(scraper) : 0;
  if (status !== "ok") return { status, quarters, seen: {} };
  const offer = fields["offerListingId"];
  if (offer === undefined) return { status, quarters, seen: fields };
  return { status, quarters, seen: fields, offer: offer === null ? null : String(offer) };
}

/**
 * Returns the price of an answer of a scraper, in quarters of a credit (specification, section
 * "Pipeline").
 */
function rateOf(scraper: StepScraperId): number {
  if (scraper === "retailer_a.pulse") return 1;
  return stepScrapers[scraper].tier === "full" ? 20 : 4;
}

function offersAnswer({ condition = "all" }: Step, look: OffersLook): ModelAnswer {
  const { status, offers, total } = look;
  if (status === "unavailable") return { status, quarters: 0, seen: {} };
  if (status === "not_found") return { status, quarters: 4, seen: {} };
  const counted = offers.filter((offer) => isCounted(offer.condition, condition));
  const prices = counted.map(({ price }) => price).toSorted((a, b) => a - b);
  const count = condition === "all" ? total : counted.length;
  const quarters = total <= 1 ? 4 : 12;
  const counts = { offerCount: count, lowestPrice: prices[0] ?? null };
  const featured = offers.find(({ isBuybox }) => isBuybox);
  if (featured === undefined) {
    return {
      status,
      quarters,
      seen: { ...counts, buyboxSeller: null, buyboxPrice: null },
      offer: null,
    };
  }
  const { seller, price, offerListingId } = featured;
  const seen = { ...counts, buyboxSeller: seller, buyboxPrice: price };
  return { status, quarters, seen, offer: offerListingId };
}

function isCounted(condition: string, wanted: NonNullable<Step["condition"]>): boolean {
  if (wanted === "all") return true;
  return wanted === "new" ? condition === "new" : condition !== "new";
}
