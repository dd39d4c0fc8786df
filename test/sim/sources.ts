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

/** A source's answer about an item. Its fields have the names that the conditions of routes use. */
export interface FlatAnswer {
  readonly id: string;
  readonly status: ReadStatus;
  /** The time of the read (ISO 8601). */
  readonly fetchedAt: string;
  /** The virtual time of the read, in milliseconds. The clocks of processes differ from it. */
  readonly trueTime: number;
  /** The fields of an `ok` answer. */
  readonly shown?: Shown;
  /** The number of offers in an `ok` answer about offers. */
  readonly totalOffers?: number;
  /**
   * In an `ok` answer about offers: the ID of the offer in the buy box; null if the box is empty.
   */
  readonly buybox?: string | null;
  /** The ID of the checked offer, in the answer of an offer check. */
  readonly offerListingId?: string;
}
export type Shown = Readonly<Record<string, string | number | boolean | null>>;

const answers = new WeakMap<Task, (readonly FlatAnswer[])[]>();

/**
 * Returns the last answers that a task received from the sources; undefined before its first read.
 */
export const lastAnswerTo = (task: Task): readonly FlatAnswer[] | undefined =>
  answers.get(task)?.at(-1);

type Given<T> = readonly { readonly answer: T; readonly flat: Omit<FlatAnswer, "trueTime"> }[];

/** Stores answers for the checks. Returns them without the fields that only the checks need. */
function keep<T>(task: Task, given: Given<T>, trueTime: number) {
  const kept = given.map(({ flat }) => Object.assign({ trueTime }, flat));
  answers.set(task, [...(answers.get(task) ?? []), kept]);
  return given.map(({ answer }) => answer);
}

interface SourceOptions {
  readonly tasks: TaskScheduler;
  readonly faults: Faults;
  readonly random: Random;
  readonly now: () => Date;
  /** The minimum and maximum duration of a read, in milliseconds. */
  readonly readMs?: readonly [least: number, most: number] | undefined;
}

/** The duration of a slow read in milliseconds, which is still within the deadline of a step. */
const lateMs = 55_000;
/**
 * The usual range of a read's duration in milliseconds. A read is longer than a request to AWS, so
 * that several calls are in flight during a read.
 */
const usualMs = [0, 2_000] as const;

/** The injected error of a source. It may end the process that reads. */
export class SourceBroken extends Error {
  override readonly name = "SourceBroken";
}

/**
 * Creates sources that return a different answer to each call. The checks can then detect a batch
 * that was read twice.
 */
export function changingSources({
  tasks,
  faults,
  random,
  now,
  readMs = usualMs,
}: SourceOptions): StepSources {
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
      effect: async () => keep(task, answer(fault === "source_unavailable"), tasks.now()),
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
      read: ({ ids, scraper }) => {
        const form = random.isHit(0.15) ? random.pick(wrongForms) : usualForm;
        return read(`read ${scraper} ${ids.join(" ")}`, (isDown) =>
          ids.map((id): Given<Answer>[number] => {
            const [head, is] = [{ id, fetchedAt: now().toISOString() }, status(isDown)];
            if (is !== "ok" && is !== "partial") {
              return { answer: { ...head, status: is }, flat: { ...head, status: is } };
            }
            const { fields, shown } = fieldsOf(scraper, random, form);
            return is === "ok"
              ? { answer: { ...head, status: is, fields }, flat: { ...head, status: is, shown } }
              : { answer: { ...head, status: is, fields }, flat: { ...head, status: is } };
          }),
        );
      },
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

/**
 * The fields of an item that has no buy box. They are null and not absent, because null is a known
 * value.
 */
const noBuybox: Shown = {
  availabilityType: null,
  merchant: null,
  isFba: null,
  offerListingId: null,
  condition: null,
};

/** How a source responds to a call. */
interface Form {
  /** The factor of all prices. */
  readonly factor: number;
  /** True if the answers lack fields that the source usually returns. */
  readonly lacksFields: boolean;
}

const usualForm: Form = { factor: 1, lacksFields: false };
const wrongForms: readonly Form[] = [
  { factor: 100, lacksFields: false },
  { factor: 1, lacksFields: true },
];

function fieldsOf(scraper: string, random: Random, { factor, lacksFields }: Form): Fields {
  const usual = random.between(8, 11);
  const availability = { inStock: random.isHit(0.8), message: "" };
  // A source may show a price of an item that is sold out.
  const isPriced = availability.inStock || usual > 10;
  const price = isPriced ? { amount: usual * factor, currency: "USD" } : null;
  // The title changes often, so that runs write details while users set labels.
  const title = `Item for ${usual * factor}`;
  const seen = { price: price?.amount ?? null, inStock: availability.inStock };
  if (scraper === "retailer_d.standard") {
    const known = lacksFields ? {} : { regularPrice: random.between(10, 12) };
    return {
      fields: { title, price, availability, retailer_d: known },
      shown: { ...seen, ...known },
    };
  }
  const offerListingId = `offer-${random.between(1, 3)}`;
  const newCount = random.between(1, 3);
  const lowest = random.between(8, 10);
  const counts = { newCount, newMinPrice: newCount === 1 && lowest === 8 ? null : lowest * factor };
  const buybox = random.isHit(0.8) ? { offerListingId, isFba: random.isHit(0.5) } : null;
  return {
    fields: { title, price, availability, retailer_a: { ...counts, buybox } },
    shown:
      scraper === "retailer_a.pulse" ? counts : { ...seen, ...counts, ...(buybox ?? noBuybox) },
  };
}

/** Returns the fields of an item's offers for a step without a condition filter. */
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
