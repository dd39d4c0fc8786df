import fc from "fast-check";
import { expect, it } from "vitest";

/** IDs of items by the status of their answers, and the ID of an item with a slow source. */
interface ReadSubject {
  readonly ids: Readonly<Record<"ok" | "not_found" | "unavailable", readonly string[]>>;
  readonly slowId: string;
}

interface ReadAnswer {
  readonly id: string;
  readonly status: string;
  readonly fetchedAt: string;
}

/**
 * Registers the tests that product scrapers and offer scrapers must pass.
 * @param read reads items with a deadline `withinMs` milliseconds from now
 */
export function readAnswersContract(
  subject: () => ReadSubject,
  read: (ids: readonly string[], withinMs?: number) => Promise<readonly ReadAnswer[]>,
): void {
  const allIds = () => Object.values(subject().ids).flat();

  it("returns every ID once, in the order of the request", async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(allIds(), { minLength: 1 }), async (ids) => {
        expect((await read(ids)).map((answer) => answer.id)).toEqual(ids);
      }),
      { numRuns: 10 },
    );
  });

  it("returns an empty list if no items are requested", async () => {
    expect(await read([])).toEqual([]);
  });

  it("returns the time of each read in ISO 8601 UTC", async () => {
    for (const { fetchedAt } of await read(allIds())) {
      expect(new Date(fetchedAt).toISOString()).toBe(fetchedAt);
    }
  });

  it("returns at the deadline, with the status unavailable for the items that were not read", async () => {
    const [answer] = await read([subject().slowId], 300);
    expect(answer?.status).toBe("unavailable");
  });

  it("returns the status unavailable for all items if the deadline has passed before the call", async () => {
    const { ids } = subject();
    const wanted = [...ids.ok, ...ids.not_found];
    const answers = await read(wanted, -1);
    expect(answers.map((answer) => answer.status)).toEqual(wanted.map(() => "unavailable"));
  });
}
