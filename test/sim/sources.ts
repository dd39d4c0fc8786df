import type { StepSources } from "../../shared/runs/read-step.ts";
import type { Offer } from "../../shared/scrapers/offer.ts";
import type {
  Answer,
  OfferCheckAnswer,
  OffersAnswer,
  ReadStatus,
} from "../../shared/scrapers/scraper.ts";
import type { Faults } from "./faults.ts";
import type { Random } from "./random.ts";
import type { Task, TaskScheduler } from "./task-scheduler.ts";

/** A source's answer for one item, with its fields flattened to the names that rules test. */
export interface FlatAnswer {
  readonly id: string;
  readonly status: ReadStatus;
  /** ISO time. */
  readonly fetchedAt: string;
  /** Of an `ok` answer. */
  readonly shown?: Shown;
  /** Number of offers in an `ok` answer about offers. */
  readonly totalOffers?: number;
  /** The offer in the buy box, of the same answer. */
  readonly buybox?: string | null;
  /** The offer of an offer check. */
  readonly offerListingId?: string;
}
export type Shown = Readonly<Record<string, string | number | boolean | null>>;

const answers = new WeakMap<Task, (readonly FlatAnswer[])[]>();

/** Returns the last answers that the sources gave a task; undefined before its first read. */
export const lastAnswerTo = (task: Task): readonly FlatAnswer[] | undefined =>
  answers.get(task)?.at(-1);

/** Stores answers for the checks, and returns them. */
function keep<T>(task: Task, given: readonly { readonly answer: T; readonly flat: FlatAnswer }[]) {
  answers.set(task, [...(answers.get(task) ?? []), given.map(({ flat }) => flat)]);
  return given.map(({ answer }) => answer);
}

interface SourceOptions {
  readonly tasks: TaskScheduler;
  readonly faults: Faults;
  readonly random: Random;
  readonly now: () => Date;
  /** Minimum and maximum duration of a read, in milliseconds. */
  readonly readMs?: readonly [least: number, most: number] | undefined;
}

/** Duration of a slow read, still within a step's deadline. */
const lateMs = 55_000;
/** Longer than a request to AWS, so that several calls are in flight during a read. */
const usualMs = [0, 2_000] as const;

/** An injected error of a source; the reading process may fail with it. */
export class SourceBroken extends Error {
  override readonly name = "SourceBroken";
}

/** Creates sources that answer every call differently, which reveals a batch that is read twice. */
export function changingSources({
  tasks,
  faults,
  random,
  now,
  readMs = usualMs,
}: SourceOptions): StepSources {
  type Given<T> = readonly { readonly answer: T; readonly flat: FlatAnswer }[];
  const read = async <T>(
    label: string,
    answer: (isDown: boolean) => Given<T>,
  ): Promise<readonly T[]> => {
    const fault = faults.draw("source_broken", "source_late", "source_unavailable");
    if (fault === "source_broken") throw new SourceBroken();
    const task = tasks.current();
    return tasks.call({
      label,
      delay: fault === "source_late" ? lateMs : random.between(...readMs),
      effect: async () => keep(task, answer(fault === "source_unavailable")),
    });
  };
  const status = (isDown: boolean): ReadStatus =>
    isDown
      ? "unavailable"
      : random.pick([
          ...Array<"ok">(14).fill("ok"),
          "partial",
          "not_found",
          "unavailable",
          "unavailable",
        ]);
  return {
    scraperFor: () => ({
      read: ({ ids, scraper }) =>
        read(`read ${scraper} ${ids.join(" ")}`, (isDown) =>
          ids.map((id): Given<Answer>[number] => {
            const [head, is] = [{ id, fetchedAt: now().toISOString() }, status(isDown)];
            if (is !== "ok" && is !== "partial") {
              return { answer: { ...head, status: is }, flat: { ...head, status: is } };
            }
            const { fields, shown } = fieldsOf(scraper, random);
            return is === "ok"
              ? { answer: { ...head, status: is, fields }, flat: { ...head, status: is, shown } }
              : { answer: { ...head, status: is, fields }, flat: { ...head, status: is } };
          }),
        ),
    }),
    offerScraperFor: () => ({
      readOffers: ({ ids }) =>
        read(`read offers ${ids.join(" ")}`, (isDown) =>
          ids.map((id): Given<OffersAnswer>[number] => {
            const [head, is] = [{ id, fetchedAt: now().toISOString() }, status(isDown)];
            if (is !== "ok") {
              const none = { ...head, status: is === "not_found" ? is : "unavailable" } as const;
              return { answer: none, flat: none };
            }
            const offers = Array.from({ length: random.between(0, 3) }, (_, n) =>
              offerOf(n, random),
            );
            const found = { ...head, status: is, totalOffers: offers.length };
            const buybox = offers.find(({ isBuybox }) => isBuybox)?.offerListingId ?? null;
            return {
              answer: { ...found, offers },
              flat: { ...found, buybox, shown: shownOf(offers) },
            };
          }),
        ),
    }),
    offerCheckerFor: () => ({
      checkOffers: ({ offers }) =>
        read(`check ${offers.map(({ offerListingId }) => offerListingId).join(" ")}`, (isDown) =>
          offers.map((offer): Given<OfferCheckAnswer>[number] => {
            const head = { ...offer, fetchedAt: now().toISOString() };
            const { asin: id, ...about } = head;
            if (isDown || !random.isHit(0.8)) {
              const none = "unavailable";
              return { answer: { ...head, status: none }, flat: { ...about, id, status: none } };
            }
            const shown = { buyable: random.isHit(0.5) };
            return {
              answer: { ...head, status: "ok", ...shown },
              flat: { ...about, id, status: "ok", shown },
            };
          }),
        ),
    }),
  };
}

interface Fields {
  readonly fields: Record<string, unknown>;
  readonly shown: Shown;
}

/** Fields of an item without a buy box: null is a value. */
const noBuybox: Shown = {
  availabilityType: null,
  merchant: null,
  isFba: null,
  offerListingId: null,
  condition: null,
};

function fieldsOf(scraper: string, random: Random): Fields {
  const price = { amount: random.between(8, 11), currency: "USD" };
  const availability = { inStock: random.isHit(0.8), message: "" };
  const seen = { price: price.amount, inStock: availability.inStock };
  if (scraper === "retailer_d.standard") {
    const regularPrice = random.between(10, 12);
    return {
      fields: { price, availability, retailer_d: { regularPrice } },
      shown: { ...seen, regularPrice },
    };
  }
  const offerListingId = `offer-${random.between(1, 3)}`;
  const counts = { newCount: random.between(1, 3), newMinPrice: random.between(8, 10) };
  const buybox = random.isHit(0.8) ? { offerListingId, isFba: random.isHit(0.5) } : null;
  return {
    fields: { price, availability, retailer_a: { ...counts, buybox } },
    shown:
      scraper === "retailer_a.pulse" ? counts : { ...seen, ...counts, ...(buybox ?? noBuybox) },
  };
}

/** The offer fields of a step without a condition. */
function shownOf(offers: readonly Offer[]): Shown {
  const featured = offers.find(({ isBuybox }) => isBuybox);
  const prices = offers.map(({ price }) => price);
  return {
    offerCount: offers.length,
    buyboxSeller: featured === undefined ? null : featured.seller.id,
    buyboxPrice: featured === undefined ? null : featured.price,
    lowestPrice: prices.length === 0 ? null : Math.min(...prices),
  };
}

const offerOf = (n: number, random: Random): Offer => ({
  offerListingId: `offer-${random.between(1, 3)}`,
  price: random.between(8, 11),
  currency: "USD",
  priceDisplay: "$",
  condition: n === 0 ? "new" : "used_good",
  seller: { id: `S${n}`, name: "Seller" },
  fulfillment: { isFba: false, fulfillerName: "Seller" },
  isBuybox: n === 0,
});
