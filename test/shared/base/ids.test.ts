import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  derivedId,
  derivedIdAt,
  idPrefix,
  newId,
  numberedId,
  numberOf,
  placedId,
  placeOf,
  timeOf,
} from "../../../shared/base/ids.ts";
import { countingRandom } from "../../support/clock.ts";

const random = countingRandom();
/** Times from 1970 to the last millisecond that nine base-32 digits can encode. */
const times = fc.integer({ min: 0, max: 32 ** 9 - 1 }).map((ms) => new Date(ms));

describe("timeOf, which reads the time in an ID,", () => {
  it("returns the creation time of an ID, to the millisecond", () => {
    fc.assert(
      fc.property(times, fc.string(), (at, part) => {
        expect(timeOf("event", derivedIdAt("event", at, part))).toEqual(at);
        expect(timeOf("delivery", newId("delivery", at, random))).toEqual(at);
      }),
      { endOnFailure: true },
    );
  });

  it("returns undefined for a string that is not an ID of the given kind", () => {
    const id = newId("event", new Date("2026-11-20T10:00:00Z"), random);
    const rest = id.slice(idPrefix.event.length);
    for (const other of [
      "",
      rest,
      `wl_${rest}`,
      `${id}0`,
      id.slice(0, -1),
      id.toUpperCase(),
      `evt_u${rest.slice(1)}`,
      `evt_${rest.slice(0, 8)}l${rest.slice(9)}`,
    ]) {
      expect(timeOf("event", other)).toBeUndefined();
    }
  });
});

it("derivedIdAt returns IDs whose order is the order of their times", () => {
  fc.assert(
    fc.property(times, times, (a, b) => {
      fc.pre(a < b);
      expect(derivedIdAt("event", a, "x") < derivedIdAt("event", b, "y")).toBe(true);
    }),
    { endOnFailure: true },
  );
});

describe("numberOf, which reads the number in an ID,", () => {
  it("returns the number if the ID belongs to the given owner, and otherwise undefined", () => {
    const id = numberedId("creditTransaction", 4_711, "acct_1");
    expect(numberOf("creditTransaction", id, "acct_1")).toBe(4_711);
    expect(numberOf("creditTransaction", id, "acct_2")).toBeUndefined();
    expect(
      numberOf("creditTransaction", derivedId("creditTransaction", "x"), "acct_1"),
    ).toBeUndefined();
  });
});

/**
 * Draws the parts of an ID: a slot, and a stamp from 2006 to the last microsecond that eleven
 * digits can represent.
 */
const places = fc.record({
  stamp: fc.integer({ min: 2 ** 50, max: Number.MAX_SAFE_INTEGER }),
  slot: fc.integer({ min: 0, max: 1_023 }),
});
const idOf = (place: { stamp: number; slot: number }, owner = "acct_1") =>
  placedId("creditTransaction", place, owner);

describe("placeOf, which reads the stamp and the slot in an ID,", () => {
  it("returns both if the ID belongs to the given owner, and otherwise undefined", () => {
    fc.assert(
      fc.property(places, (place) => {
        expect(placeOf("creditTransaction", idOf(place), "acct_1")).toEqual(place);
        expect(placeOf("creditTransaction", idOf(place), "acct_2")).toBeUndefined();
      }),
      { endOnFailure: true },
    );
  });

  it("returns undefined for a string that is not an ID with a stamp and a slot", () => {
    const id = idOf({ stamp: 2 ** 50, slot: 3 });
    for (const other of [
      "",
      id.slice(0, -1),
      `${id}0`,
      id.toUpperCase(),
      "ctx_1",
      "x".repeat(28),
    ]) {
      expect(placeOf("creditTransaction", other, "acct_1")).toBeUndefined();
    }
    const numbered = numberedId("creditTransaction", 7, "acct_1");
    expect(placeOf("creditTransaction", numbered, "acct_1")).toBeUndefined();
    expect(numberOf("creditTransaction", id, "acct_1")).toBeUndefined();
  });
});

it("placedId returns IDs that sort by stamp and then by slot, after all IDs with only a number", () => {
  fc.assert(
    fc.property(places, places, (a, b) => {
      fc.pre(a.stamp < b.stamp || (a.stamp === b.stamp && a.slot < b.slot));
      expect(idOf(a) < idOf(b)).toBe(true);
      expect(numberedId("creditTransaction", 999_999_999_999, "acct_1") < idOf(a)).toBe(true);
    }),
    { endOnFailure: true },
  );
});
