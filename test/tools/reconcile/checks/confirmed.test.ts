import { expect, it } from "vitest";
import { confirm, type CheckResult } from "../../../../tools/reconcile/checks/confirmed.ts";
import { fixedClock } from "../../../support/clock.ts";

const clock = fixedClock("2026-03-01T00:00:00Z");
const difference = (field: string, stored: number) => ({ place: "p", field, stored, expected: 0 });

/**
 * Creates a check that returns these results in order, and then the last result again. `taken`
 * counts its calls.
 */
function looks(...found: readonly CheckResult[]) {
  let taken = 0;
  const look = async (): Promise<CheckResult> => {
    const next = found[Math.min(taken, found.length - 1)];
    if (next === undefined) throw new Error("There is something to find");
    taken += 1;
    return next;
  };
  return { look, taken: () => taken };
}

const steady = (...differences: CheckResult["differences"]): CheckResult => ({
  differences,
  isSteady: true,
});
const moving: CheckResult = { differences: [], isSteady: false };

const one = difference("a", 1);

it.each([
  { what: "nothing after one read without differences", found: [steady()], stored: [], taken: 1 },
  {
    what: "a difference that two reads show, as the second shows it",
    found: [steady(one), steady(difference("a", 2))],
    stored: [2],
    taken: 2,
  },
  {
    what: "nothing about a change in progress",
    found: [steady(one), steady()],
    stored: [],
    taken: 2,
  },
  {
    what: "a difference that remains after a change in progress",
    found: [steady(one), steady(one, difference("b", 5)), steady(one)],
    stored: [1],
    taken: 3,
  },
  {
    what: "a difference that shows only when the rows stop changing",
    found: [moving, steady(one)],
    stored: [1],
    taken: 3,
  },
])(
  "a reconcile check that reads again to confirm differences reports $what",
  async ({ found, stored, taken }) => {
    const { look, taken: looked } = looks(...found);

    const { differences, isSteady } = await confirm(look, { clock });

    expect(differences.map((again) => again.stored)).toEqual(stored);
    expect(isSteady).toBe(true);
    expect(looked()).toBe(taken);
  },
);

it("a reconcile check whose rows change at every read stops after 8 reads, and returns no differences and 'isSteady' false", async () => {
  const { look, taken } = looks(moving);

  expect(await confirm(look, { clock })).toEqual({ differences: [], isSteady: false });
  expect(taken()).toBe(8);
});
