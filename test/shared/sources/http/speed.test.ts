import { expect, it } from "vitest";
import { adaptiveSpeed } from "../../../../shared/sources/http/speed.ts";

const at = (ms: number): Date => new Date(1_000_000 + ms);
const busyAt = (speed: ReturnType<typeof adaptiveSpeed>, ms: number, startedMs = ms): void =>
  speed.note({ isBusy: true, startedAt: at(startedMs) }, at(ms));

it("the adaptive rate does not exceed the configured rate, however many calls the source accepts", () => {
  const speed = adaptiveSpeed(40);
  for (let n = 0; n < 20; n += 1) speed.note({ isBusy: false, startedAt: at(n) }, at(n));
  busyAt(speed, 20);
  expect(speed.perSecond(at(20))).toBe(40);
});

it("the adaptive rate is halved once if several calls in flight at the same time are refused", () => {
  const speed = adaptiveSpeed(40);
  for (let n = 0; n < 30; n += 1) busyAt(speed, 100 + n, 50);
  expect(speed.perSecond(at(130))).toBe(20);
});

it("the adaptive rate is halved again after five more responses from a busy source, and never reaches 0", () => {
  const speed = adaptiveSpeed(64);
  for (let n = 0; n < 5; n += 1) busyAt(speed, n);
  expect(speed.perSecond(at(5))).toBe(32);
  busyAt(speed, 5);
  expect(speed.perSecond(at(5))).toBe(16);
  for (let n = 6; n < 1_000; n += 1) busyAt(speed, n);
  expect(speed.perSecond(at(1_000))).toBe(2);
});

it.each([0.1, 2, 50])(
  "the adaptive rate of %d calls a second recovers within a minute, even if no calls are made",
  (max) => {
    const speed = adaptiveSpeed(max);
    for (let n = 0; n < 100; n += 1) busyAt(speed, n);
    expect(speed.perSecond(at(99))).toBeLessThan(max / 16);
    expect(speed.perSecond(at(99 + 25_000))).toBeGreaterThan(max / 2);
    expect(speed.perSecond(at(99 + 50_000))).toBe(max);
    expect(speed.perSecond(at(99 + 500_000))).toBe(max);
  },
);

it("the adaptive rate stays at its current value for five seconds, and then recovers further, if the source is busy again during the recovery", () => {
  const speed = adaptiveSpeed(40);
  busyAt(speed, 0);
  busyAt(speed, 9_000);
  expect(speed.perSecond(at(9_000))).toBe(24);
  expect(speed.perSecond(at(13_900))).toBe(24);
  expect(speed.perSecond(at(14_000))).toBe(28);
});
