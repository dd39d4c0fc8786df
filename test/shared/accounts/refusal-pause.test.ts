import { describe, expect, it } from "vitest";
import {
  afterAdmission,
  afterRefusal,
  noPause,
  type RefusalPause,
} from "../../../shared/accounts/refusal-pause.ts";

/**
 * Returns the pause after `times` more refusals in a row, each at the end of the previous pause.
 * `pause` is the pause before them, and `fraction` is the random number (0 to 1) at each refusal.
 */
function refused(times: number, fraction: number, pause: RefusalPause = noPause): RefusalPause {
  let after = pause;
  for (let n = 0; n < times; n += 1) {
    after = afterRefusal(after, { nowMs: after.untilMs, fromMs: after.untilMs, fraction });
  }
  return after;
}

describe("the pause of a process after the rate limit refuses a call", () => {
  it("ends exactly when the next call is possible, if it follows the first refusal", () => {
    const pause = afterRefusal(noPause, { nowMs: 1_000, fromMs: 1_500, fraction: 0.9 });
    expect(pause.untilMs).toBe(1_500);
  });

  it("has a random extra wait whose maximum quadruples with each further refusal, up to 2 s", () => {
    const waits = Array.from({ length: 9 }, (_, n) => refused(n + 1, 0.5).waitMs);
    expect(waits).toEqual([4, 16, 64, 256, 1_024, 2_000, 2_000, 2_000, 2_000]);
    const pause = { untilMs: 0, waitMs: 256 };
    const at = { nowMs: 10, fromMs: 20 };
    expect(afterRefusal(pause, { ...at, fraction: 0 }).untilMs).toBe(20);
    expect(afterRefusal(pause, { ...at, fraction: 0.5 }).untilMs).toBe(148);
  });

  it("is not extended by the refusal of a call that was in flight when the pause began", () => {
    const one = afterRefusal(noPause, { nowMs: 1_000, fromMs: 1_500, fraction: 0 });
    expect(afterRefusal(one, { nowMs: 1_001, fromMs: 1_700, fraction: 0 })).toEqual(one);
  });

  it("ends no earlier after an admitted call, which halves the maximum extra wait of the next pause", () => {
    const pause = refused(4, 0);
    expect(afterAdmission(pause, 0)).toEqual({ untilMs: pause.untilMs, waitMs: 128 });
    expect(afterAdmission(pause, 5_000).untilMs).toBe(5_000);
  });
});
