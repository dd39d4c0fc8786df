import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  derivedId,
  derivedIdAt,
  idPrefix,
  newId,
  numberedId,
  numberOf,
  timeOf,
} from "../../../shared/base/ids.ts";
import { countingChance } from "../../support/clock.ts";

const chance = countingChance();
/** Up to the last millisecond that nine digits can say. */
const times = fc.integer({ min: 0, max: 32 ** 9 - 1 }).map((ms) => new Date(ms));

describe("timeOf", () => {
  it("tells when an id was made, to the millisecond", () => {
    fc.assert(
      fc.property(times, fc.string(), (at, part) => {
        expect(timeOf("event", derivedIdAt("event", at, part))).toEqual(at);
        expect(timeOf("delivery", newId("delivery", at, chance))).toEqual(at);
      }),
      { endOnFailure: true },
    );
  });

  it("says nothing of what is no id of the kind", () => {
    const id = newId("event", new Date("2026-11-20T10:00:00Z"), chance);
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

  it("orders ids as their times are ordered", () => {
    fc.assert(
      fc.property(times, times, (a, b) => {
        fc.pre(a < b);
        expect(derivedIdAt("event", a, "x") < derivedIdAt("event", b, "y")).toBe(true);
      }),
      { endOnFailure: true },
    );
  });
});

describe("numberOf", () => {
  it("tells the number of an owner's id, and nothing of another's", () => {
    const id = numberedId("creditTransaction", 4_711, "acct_1");
    expect(numberOf("creditTransaction", id, "acct_1")).toBe(4_711);
    expect(numberOf("creditTransaction", id, "acct_2")).toBeUndefined();
    expect(
      numberOf("creditTransaction", derivedId("creditTransaction", "x"), "acct_1"),
    ).toBeUndefined();
  });
});
