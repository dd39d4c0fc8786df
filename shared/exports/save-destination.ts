import { conflict } from "../base/errors.ts";

const triesMax = 5;

/**
 * Repeats a conditional change of the destination until `attempt` returns a result. `attempt`
 * returns null if a concurrent change came first.
 * @throws 409 CONFLICT after `triesMax` tries
 */
export async function retrySave<Saved>(attempt: () => Promise<Saved | null>): Promise<Saved> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const saved = await attempt();
    if (saved !== null) return saved;
  }
  throw conflict("Other calls are changing the S3 destination, so nothing was saved. Try again.");
}
