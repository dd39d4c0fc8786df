import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RateAsk, RateBudget } from "../../shared/sources/http/rate-budget.ts";

export interface RateBudgetSubject {
  /** Creates the rate budget of a separate process. All processes share the limits. */
  readonly process: () => RateBudget;
}

const startMs = Date.parse("2026-03-01T12:00:00Z");
const processes = 8;
const ask = { permits: 1, perSecond: 10, burst: 3, until: new Date(startMs + 3_600_000) };
let sources = 0;
/** Returns a new source name, so that tests do not share a rate limit. */
const newSource = (): string => `source-${(sources += 1)}`;

/**
 * Takes permits and returns the earliest start of each granted call, in milliseconds since 1970.
 */
async function startsOf(
  budget: RateBudget,
  { source, nowMs, ...wanted }: RateAsk & { readonly source: string; readonly nowMs: number },
): Promise<number[]> {
  const grant = await budget.take(source, wanted, new Date(nowMs));
  return Array.from({ length: grant.permits }, (_, n) =>
    Math.max(nowMs, grant.from.getTime() + (n * 1_000) / wanted.perSecond),
  );
}

/**
 * Returns the largest excess over all time windows: the number of starts in the window, minus the
 * number that the rate allows for the length of the window.
 */
function excessOf(starts: readonly number[], perSecond: number): number {
  let excess = -Infinity;
  // For windows that end at this start, the largest excess is `starts so far - allowed so far`
  // minus the lowest earlier value of this difference.
  let lowest = Infinity;
  for (const [index, at] of starts.entries()) {
    const allowed = (at / 1_000) * perSecond;
    lowest = Math.min(lowest, index - allowed);
    excess = Math.max(excess, index + 1 - allowed - lowest);
  }
  return excess;
}

/**
 * Registers the tests that every rate budget must pass, local or shared. A test may call `make`
 * several times: all processes of all returned subjects must share the limits.
 */
export function rateBudgetContract(name: string, make: () => RateBudgetSubject): void {
  describe(`a rate budget ${name}`, () => {
    it("lets the calls of a burst start immediately, and later calls at even intervals", async () => {
      const [first, second] = [make().process(), make().process()];
      const source = newSource();
      const at = { ...ask, source, nowMs: startMs };
      expect(await startsOf(first, { ...at, permits: 5 })).toEqual(
        [0, 0, 0, 100, 200].map((ms) => startMs + ms),
      );
      expect(await startsOf(second, at)).toEqual([startMs + 300]);
      // After an idle time, one burst of calls can start immediately again, but not more.
      const later = { ...at, nowMs: startMs + 60_000, permits: 4 };
      expect(await startsOf(first, later)).toEqual(
        [0, 0, 0, 100].map((ms) => startMs + 60_000 + ms),
      );
    });

    it("grants permits only to calls that can start before their deadline, and saves the remaining permits for later calls", async () => {
      const budget = make().process();
      const source = newSource();
      const until = new Date(startMs + 200);
      const at = { ...ask, source, nowMs: startMs, until };
      expect(await startsOf(budget, { ...at, permits: 50 })).toHaveLength(4);
      expect(await startsOf(budget, at)).toEqual([]);
      expect(await startsOf(budget, { ...at, until: ask.until })).toEqual([startMs + 200]);
    });

    it("is separate for each source", async () => {
      const budget = make().process();
      const at = { ...ask, nowMs: startMs, permits: 3 };
      await startsOf(budget, { ...at, source: newSource() });
      expect(await startsOf(budget, { ...at, source: newSource() })).toEqual(
        [0, 0, 0].map((ms) => startMs + ms),
      );
    });

    it("is used to at least 90% by eight processes under load, and is never exceeded", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.double({ min: 1, max: 200, noNaN: true }),
          fc.integer({ min: 1, max: 20 }),
          fc.infiniteStream(fc.integer({ min: 1, max: 12 })),
          async (perSecond, burst, permitsDrawn) => {
            const source = newSource();
            const { process } = make();
            const budgets = Array.from({ length: processes }, process);
            /**
             * The time at which each process has started all of its granted calls, in milliseconds
             * since 1970.
             */
            const busyUntil = budgets.map(() => startMs);
            const starts: number[] = [];
            const rounds = 15;
            let nowMs = startMs;
            for (let round = 0; round < rounds; round += 1) {
              const idle = [...busyUntil.keys()].filter((n) => (busyUntil[n] ?? 0) <= nowMs);
              const granted = await Promise.all(
                idle.map(async (n) => {
                  const permits = permitsDrawn.next().value ?? 1;
                  const wanted = { ...ask, perSecond, burst, permits, source, nowMs };
                  const mine = await startsOf(budgets[n] ?? process(), wanted);
                  busyUntil[n] = mine.at(-1) ?? nowMs;
                  return mine;
                }),
              );
              starts.push(...granted.flat());
              nowMs = Math.min(...busyUntil);
            }
            starts.sort((a, b) => a - b);
            // The start times in grants are rounded to whole milliseconds.
            const rounding = perSecond * 0.002;
            expect(excessOf(starts, perSecond)).toBeLessThanOrEqual(burst + rounding + 1e-6);
            const inTime = starts.filter((at) => at <= nowMs).length;
            const allowed = burst + ((nowMs - startMs) / 1_000) * perSecond;
            expect(inTime).toBeGreaterThanOrEqual(Math.floor(allowed * 0.9));
          },
        ),
        { numRuns: 25 },
      );
    });
  });
}
