import { limits } from "./limits.ts";
import { withSeparateLoss } from "./retry-budget.ts";

/** Logs a warning for operators about a failure that the service repairs automatically. */
export type Warn = (message: string, error: unknown) => void;

/**
 * Runs a best-effort action, such as sending a wake-up message. If the action fails, logs a warning
 * and does not throw: the caller's writes have taken effect, and the sweeper repeats the action
 * later. The action has a separate retry budget, so that its retries do not reduce the budget of
 * the caller.
 */
export async function bestEffort(send: () => Promise<void>, warn: Warn): Promise<void> {
  try {
    await withSeparateLoss(limits.dependencies.wakeUpMs, send);
  } catch (error) {
    warn("best-effort action failed; the sweeper repeats it", error);
  }
}
