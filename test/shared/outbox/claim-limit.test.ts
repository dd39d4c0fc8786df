import { describe, expect, it } from "vitest";
import {
  beforeClaim,
  keepsClaim,
  type TargetTimes,
  waitingTargets,
} from "../../../shared/outbox/claim-limit.ts";

const now = new Date("2026-11-20T10:00:00.000Z");
const inSeconds = (seconds: number): Date => new Date(now.getTime() + seconds * 1_000);
/** Returns a target under a lease that ends in `seconds`. */
const taken = (targetId: string, seconds = 60): TargetTimes => ({
  targetId,
  due: inSeconds(seconds),
  leaseUntil: inSeconds(seconds),
});
/** Returns a target without a lease that has been due for `seconds`. */
const waiting = (targetId: string, seconds = 0): TargetTimes => ({
  targetId,
  due: inSeconds(-seconds),
  leaseUntil: new Date(0),
});
const later: TargetTimes = { targetId: "later", due: inSeconds(5), leaseUntil: new Date(0) };
const three = ["a", "b", "c"].map((name) => taken(name));

describe("a claim of a delivery target", () => {
  it.each([
    ["is refused if four other targets are claimed", [...three, taken("d")], { outcome: "full" }],
    [
      "sets neither isContested nor isCrowded if no other target is claimed or due",
      [later],
      { isContested: false, isCrowded: false },
    ],
    [
      "sets isCrowded but not isContested if one other target waits",
      [waiting("a")],
      { isContested: false, isCrowded: true },
    ],
    [
      "sets isCrowded but not isContested if three other targets are claimed",
      three,
      { isContested: false, isCrowded: true },
    ],
    [
      "sets neither isContested nor isCrowded if two other targets are claimed",
      three.slice(1),
      { isContested: false, isCrowded: false },
    ],
    [
      "sets isContested and isCrowded if three other targets are claimed and one waits",
      [...three, waiting("d")],
      { isContested: true, isCrowded: true },
    ],
    [
      "sets isContested and isCrowded if four other targets wait",
      ["a", "b", "c", "d"].map((name) => waiting(name)),
      { isContested: true, isCrowded: true },
    ],
    [
      "succeeds if the lease of the fourth other target ends now",
      [...three, { ...taken("d", 0), due: inSeconds(9) }],
      { outcome: "free" },
    ],
  ])("%s", (_, others, expected) => {
    expect(beforeClaim(others, now)).toMatchObject(expected);
  });

  it("returns the other claimed targets of the account", () => {
    expect(beforeClaim([waiting("w"), taken("t"), later], now)).toMatchObject({
      taken: [taken("t")],
    });
  });
});

describe("a contested claim of a delivery target", () => {
  const own = { targetId: "m", leaseUntil: inSeconds(60) };
  const stays = (others: readonly TargetTimes[], before: readonly TargetTimes[]): boolean =>
    keepsClaim(own, { others, taken: before }, now);

  it("remains valid if at most three other claims have an earlier lease", () => {
    expect(stays([taken("a", 59), taken("b", 59), taken("c", 59)], [])).toBe(true);
    expect(stays([taken("a", 59), taken("b", 59), taken("c", 59), taken("z", 61)], [])).toBe(true);
  });

  it("becomes invalid if four other claims have an earlier lease", () => {
    expect(stays([taken("a", 59), taken("b", 59), taken("c", 59), taken("d", 59)], [])).toBe(false);
  });

  it("ranks behind a claim whose lease ends at the same time and whose target ID is lower", () => {
    expect(stays([...three, taken("d", 60)], [])).toBe(false);
    expect(stays([...three, taken("z", 60)], [])).toBe(true);
  });

  it("ranks behind earlier claims, even if their leases were extended later", () => {
    const extended = ["w", "x", "y", "z"].map((name) => taken(name, 70));
    expect(stays(extended, [])).toBe(true);
    expect(stays(extended, extended)).toBe(false);
  });

  it("ignores claims whose leases have ended", () => {
    expect(stays([...three, taken("d", -1)], [taken("d", -1)])).toBe(true);
  });
});

describe("the waiting targets of an account", () => {
  it("are the due targets without a lease, ordered by due time", () => {
    const found = waitingTargets([waiting("a", 1), later, taken("t"), waiting("b", 9)], now);
    expect(found.map(({ targetId }) => targetId)).toEqual(["b", "a"]);
  });
});
