import { limits } from "./limits.ts";
import { withSeparateLoss } from "./retry-budget.ts";

/** Logs a warning for operators about a failure that is repaired automatically. */
export type Warn = (message: string, error: unknown) => void;

/**
 * Runs a best-effort action, such as sending a wake-up message: if it fails, the sweeper does the
 * work later. A failure is logged and does not fail the caller, whose writes have taken effect. The
 * action has a separate time limit.
 */
export async function bestEffort(send: () => Promise<void>, warn: Warn): Promise<void> {
  try {
    await withSeparateLoss(limits.dependencies.wakeUpMs, send);
  } catch (error) {
    warn("best-effort action failed; the sweeper repeats it", error);
  }
}
