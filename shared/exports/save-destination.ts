import { conflict } from "../base/errors.ts";

const triesMax = 5;

/**
 * Repeats a change of the destination that others change at the same time.
 * @throws 409 CONFLICT when somebody else is always first.
 */
export async function untilSaved<Saved>(attempt: () => Promise<Saved | null>): Promise<Saved> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const saved = await attempt();
    if (saved !== null) return saved;
  }
  throw conflict(
    "Other calls change the S3 destination at the same time. Nothing was applied. Try again.",
  );
}
