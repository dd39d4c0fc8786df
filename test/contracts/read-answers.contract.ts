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

  it("returns each requested ID exactly once, in the order of the request", async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(allIds(), { minLength: 1 }), async (ids) => {
        expect((await read(ids)).map((answer) => answer.id)).toEqual(ids);
      }),
      { numRuns: 10 },
    );
  });

  it("returns an empty list for a read of no items", async () => {
    expect(await read([])).toEqual([]);
  });

  it("returns the time of each answer in ISO 8601 UTC", async () => {
    for (const { fetchedAt } of await read(allIds())) {
      expect(new Date(fetchedAt).toISOString()).toBe(fetchedAt);
    }
  });

  it("ends a read at its deadline, and returns the status 'unavailable' for unread items", async () => {
    const [answer] = await read([subject().slowId], 300);
    expect(answer?.status).toBe("unavailable");
  });

  it("returns the status 'unavailable' for all items of a read that begins after its deadline", async () => {
    const { ids } = subject();
    const wanted = [...ids.ok, ...ids.not_found];
    const answers = await read(wanted, -1);
    expect(answers.map((answer) => answer.status)).toEqual(wanted.map(() => "unavailable"));
  });
}
