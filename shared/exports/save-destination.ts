import { conflict } from "../base/errors.ts";

const triesMax = 5;

/**
 * Repeats a conditional change of the destination while concurrent changes defeat it.
 * @throws 409 CONFLICT after five tries.
 */
export async function retrySave<Saved>(attempt: () => Promise<Saved | null>): Promise<Saved> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const saved = await attempt();
    if (saved !== null) return saved;
  }
  throw conflict(
    "Other calls change the S3 destination at the same time. Nothing was applied. Try again.",
  );
}
