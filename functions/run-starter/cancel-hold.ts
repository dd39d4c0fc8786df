import type { Clock } from "../../shared/base/clock.ts";
import { isServiceError } from "../../shared/base/errors.ts";
import { isDependencyFailure } from "../../shared/base/dependency-failure.ts";
import { limits } from "../../shared/base/limits.ts";
import { withSeparateLoss } from "../../shared/base/retry-budget.ts";
import type { HoldRef, Ledger } from "../../shared/credits/ledger.ts";

const pauseMs = 2_000;

/**
 * Cancels the hold of a call whose settlement got no response. While the ledger is unavailable,
 * repeats the request every two seconds until `until`. The account therefore gets its credits back
 * soon after a short outage.
 * @throws the last error if the ledger is still unavailable at `until`, and any other error
 * immediately; SQS then delivers the message again
 */
export async function cancelHoldUntil(
  hold: Omit<HoldRef, "now">,
  until: Date,
  { ledger, clock }: { readonly ledger: Pick<Ledger, "cancel">; readonly clock: Clock },
): Promise<void> {
  for (;;) {
    try {
      const now = clock.now();
      return await withSeparateLoss(limits.dependencies.callLossMs, () =>
        ledger.cancel({ ...hold, now }),
      );
    } catch (error) {
      const isOutage = isServiceError(error) || isDependencyFailure(error);
      const isOver = clock.now().getTime() + pauseMs >= until.getTime();
      if (isOver || !isOutage) throw error;
    }
    await clock.sleep(pauseMs);
  }
}
