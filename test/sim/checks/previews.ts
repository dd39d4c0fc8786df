import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { ApiAnswer, ApiRequest } from "../api.ts";
import type { World } from "../world.ts";
import { allRows } from "./table-rows.ts";

interface Read {
  readonly step: string;
  readonly status: string;
  readonly values: Readonly<Record<string, unknown>> | null;
}

interface Step {
  readonly step: string;
  readonly scraper: keyof typeof rates;
  readonly items: number;
  readonly credits: number;
}

interface Body {
  readonly total: { readonly reads: number; readonly credits: number };
  readonly steps: readonly Step[];
  readonly items: readonly { readonly id: string; readonly reads: readonly Read[] }[];
}

/**
 * The specified price of an answer in credits, by scraper. An offers answer with more than one
 * offer costs 3.
 */
const rates = {
  "retailer_a.pulse": 0.25,
  "retailer_a.lite": 1,
  "retailer_a.offers": 1,
  "retailer_a.offer_check": 0.5,
};

/** Returns true for a preview of a pipeline. */
export const isPreview = ({ path }: ApiRequest): boolean => path.endsWith("/preview");

/**
 * Checks a preview: each step costs its answered reads, rounded up once, and the call costs the sum
 * of its steps (invariant M12).
 * @param isExpired true if the hold expired before the call settled it, so that nothing is charged
 * @returns the credits that the response shows
 * @throws Error if a check fails
 */
export function checkPreview(request: ApiRequest, { body }: ApiAnswer, isExpired: boolean): number {
  const { total, steps, items } = body as unknown as Body;
  const name = request.path;
  const { items: wanted = [] } = request.body as { readonly items?: readonly string[] };
  assert.deepEqual(
    items.map(({ id }) => id),
    [...new Set(wanted)].toSorted(),
    `${name}: each wanted item once`,
  );
  const reads = items.flatMap((item) => item.reads);
  for (const { step, scraper, items: read, credits } of steps) {
    const own = reads.filter((one) => one.step === step && one.status !== "skipped");
    assert.equal(read, own.length, `${name}: items of step ${step}`);
    const cost = own.reduce((sum, one) => sum + costOf(scraper, one), 0);
    assert.equal(credits, Math.ceil(cost), `${name}: credits of step ${step}`);
  }
  const sum = steps.reduce((credits, step) => credits + step.credits, 0);
  assert.equal(total.credits, isExpired ? 0 : sum, `${name}: the sum of the steps`);
  assert.equal(
    total.reads,
    steps.reduce((read, step) => read + step.items, 0),
    name,
  );
  return total.credits;
}

function costOf(scraper: Step["scraper"], { status, values }: Read): number {
  if (status !== "ok" && status !== "not_found") return 0;
  const offers = scraper === "retailer_a.offers" ? Number(values?.["offerCount"] ?? 0) : 0;
  return offers > 1 ? 3 : rates[scraper];
}

/** Records the rare states that a preview reached, such as a charge or a read in every step. */
export function notePreview({ reached }: World, { body }: ApiAnswer): void {
  const { steps, items } = body as unknown as Body;
  reached("a preview was charged");
  if (steps.every((step) => step.items > 0)) reached("a preview reached every step");
  const reads = items.flatMap((item) => item.reads);
  if (reads.some(({ status }) => status === "unavailable")) {
    reached("a preview was charged without a read that got no answer");
  }
}

/**
 * Reads the rows of a watchlist: its items, its runs and its history. Returns a check that throws
 * an Error if the rows have changed (invariant M12).
 */
export async function watchRows(world: World, watchlistId: string): Promise<() => Promise<void>> {
  const rowsNow = async () =>
    (await allRows(world)).filter(({ pk, sk }) => `${pk} ${sk}`.includes(watchlistId));
  const before = await rowsNow();
  assert(before.length > 1, "a watchlist has rows");
  return async () => {
    const after = await rowsNow();
    assert(isDeepStrictEqual(after, before), "a preview changed no row of its watchlist");
  };
}
