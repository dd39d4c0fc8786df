import { describe, expect, it } from "vitest";
import { cachedCheck } from "../../../shared/base/cached-check.ts";
import { fixedClock } from "../../support/clock.ts";

describe("cachedCheck, which shares the result of a check among calls,", () => {
  it("starts one check for all calls within freshMs milliseconds, and starts another check at the first call after that time", async () => {
    const clock = fixedClock("2026-11-20T10:00:00.000Z");
    let checks = 0;
    const checked = cachedCheck({
      check: async () => {
        checks += 1;
        if (checks === 2) throw new Error("no response");
      },
      freshMs: 5_000,
      clock,
    });

    const together = await Promise.all([checked(), checked(), checked()]);
    expect(together.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok"]);
    clock.advance(4_999);
    await checked();
    expect(checks).toBe(1);
    clock.advance(1);
    expect(await checked()).toEqual({ outcome: "failed", error: new Error("no response") });
    clock.advance(4_999);
    expect((await checked()).outcome).toBe("failed");
    clock.advance(1);
    expect((await checked()).outcome).toBe("ok");
    expect(checks).toBe(3);
  });
});
