import { describe, expect, it } from "vitest";
import { endAttempt, lost, repeatChange } from "../../../shared/base/repeat-change.ts";

const exhausted = (): Error => new Error("too many concurrent changes");

/** Returns an attempt that is lost to concurrent changes `times` times, and then succeeds. */
function losing(times: number) {
  const attempt = { calls: 0 };
  return {
    attempt,
    make: () => {
      attempt.calls += 1;
      return Promise.resolve(attempt.calls > times ? endAttempt("saved") : lost);
    },
  };
}

describe("repeatChange, which repeats a change after concurrent changes,", () => {
  it("repeats the change until no concurrent change invalidates it, and returns the result of the last attempt", async () => {
    const { attempt, make } = losing(2);
    await expect(repeatChange(make, { triesMax: 3, exhausted })).resolves.toBe("saved");
    expect(attempt.calls).toBe(3);
  });

  it("throws the caller's error if concurrent changes invalidate every allowed attempt", async () => {
    const { attempt, make } = losing(3);
    await expect(repeatChange(make, { triesMax: 3, exhausted })).rejects.toThrow(
      "too many concurrent changes",
    );
    expect(attempt.calls).toBe(3);
  });

  it("throws an UNAVAILABLE error without another attempt if no time is left", async () => {
    const { attempt, make } = losing(1);
    const mayRepeat = (): Promise<boolean> => Promise.resolve(false);
    await expect(repeatChange(make, { triesMax: 3, exhausted, mayRepeat })).rejects.toMatchObject({
      code: "UNAVAILABLE",
    });
    expect(attempt.calls).toBe(1);
  });

  it("throws the caller's error immediately after a concurrent change invalidates the last allowed attempt", async () => {
    let pauses = 0;
    const mayRepeat = (): Promise<boolean> => {
      pauses += 1;
      return Promise.resolve(pauses < 3);
    };
    const { make } = losing(3);
    await expect(repeatChange(make, { triesMax: 3, exhausted, mayRepeat })).rejects.toThrow(
      "too many concurrent changes",
    );
    expect(pauses).toBe(2);
  });

  it("throws the error that an attempt throws", async () => {
    const make = (): Promise<never> => Promise.reject(new Error("no table"));
    await expect(repeatChange(make, { triesMax: 3, exhausted })).rejects.toThrow("no table");
  });
});
