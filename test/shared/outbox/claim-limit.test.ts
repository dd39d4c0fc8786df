import { describe, expect, it } from "vitest";
import {
  afterClaim,
  type TargetTimes,
  waitingTargets,
} from "../../../shared/outbox/claim-limit.ts";

const now = new Date("2026-11-20T10:00:00.000Z");
const inSeconds = (seconds: number): Date => new Date(now.getTime() + seconds * 1_000);
/** Returns a target that was claimed `seconds` ago, under a lease that ends in a minute. */
const taken = (targetId: string, seconds = 1): TargetTimes => ({
  targetId,
  due: inSeconds(60),
  leaseUntil: inSeconds(60),
  claimedAt: inSeconds(-seconds),
});
/** Returns a target without a lease that has been due for `seconds`. */
const waiting = (targetId: string, seconds = 0): TargetTimes => ({
  targetId,
  due: inSeconds(-seconds),
  leaseUntil: new Date(0),
  claimedAt: null,
});
const later: TargetTimes = { ...waiting("later"), due: inSeconds(5) };
const three = ["a", "b", "c"].map((name) => taken(name));
const own = { targetId: "m", claimedAt: now };

describe("the limit of four claimed targets of an account", () => {
  it.each([
    ["refuses a claim after four others", [...three, taken("d")], { outcome: "full" }],
    ["grants a claim if no other target is claimed or due", [later], { isCrowded: false }],
    ["grants a claim while one other target waits", [waiting("a")], { isCrowded: true }],
    ["grants a claim after three others", three, { isCrowded: true }],
    ["grants a claim after two others", three.slice(1), { isCrowded: false }],
    [
      "does not count a lease that ends now",
      [...three, { ...taken("d"), leaseUntil: now }],
      { outcome: "free" },
    ],
  ])("%s", (_, others, expected) => {
    expect(afterClaim(own, others, now)).toMatchObject(expected);
  });

  it("does not count claims that are later than the new claim", () => {
    expect(afterClaim(own, [...three, taken("d", -1)], now)).toMatchObject({ outcome: "free" });
  });

  it("counts a claim with the same time only if its target ID sorts before the ID of the new claim", () => {
    expect(afterClaim(own, [...three, taken("d", 0)], now)).toEqual({ outcome: "full" });
    expect(afterClaim(own, [...three, taken("z", 0)], now)).toMatchObject({ outcome: "free" });
  });

  it("counts claims of the previous release, which stores no time of a claim", () => {
    const earlier = { ...taken("z"), claimedAt: null };
    expect(afterClaim(own, [...three, earlier], now)).toEqual({ outcome: "full" });
  });
});

describe("the waiting targets of an account", () => {
  it("are the due targets without a lease, ordered by due time", () => {
    const found = waitingTargets([waiting("a", 1), later, taken("t"), waiting("b", 9)], now);
    expect(found.map(({ targetId }) => targetId)).toEqual(["b", "a"]);
  });
});
