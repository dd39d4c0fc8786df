import { limits } from "./limits.ts";
import { withSeparateLoss } from "./retry-budget.ts";

/** Tells whoever runs the service that something went wrong which mends itself. */
export type Warn = (message: string, error: unknown) => void;

/**
 * Sends a message that only saves time: what it says stands in a row that the sweeper looks at.
 * Failing to send it must not fail work that has taken effect, nor use up the time of what follows.
 */
export async function hint(send: () => Promise<void>, warn: Warn): Promise<void> {
  try {
    await withSeparateLoss(limits.dependencies.wakeUpMs, send);
  } catch (error) {
    warn("a hint was not sent; the sweeper will take the work on", error);
  }
}
