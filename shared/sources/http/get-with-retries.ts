import type { Chance, Clock } from "../../base/clock.ts";
import type { Pacer } from "./pacer.ts";
import { retryAfterMs } from "./retry-after.ts";
import { tryOnce, type TryOutcome } from "./try-once.ts";

/** Tries after the first one. */
const extraTriesMax = 2;
const jitterBaseMs = 300;
const jitterCapMs = 5_000;
/** The longest one try may take. */
const tryTimeoutMs = 15_000;

export interface HttpSource {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly pacer: Pacer;
  readonly headers: Readonly<Record<string, string>>;
  /** Body bytes after decompression beyond which an answer is dropped. */
  readonly bytesMax: number;
  /** Statuses by which this source says "not now". */
  readonly isTemporary: (status: number) => boolean;
}

/** Statuses that any HTTP server uses for what may pass. */
export const temporaryStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/**
 * GETs until there is an answer that is not temporary, the tries are used up, or the deadline is
 * too near for another. The outcome is that of the last try; null when there was no time for any.
 */
export async function getWithRetries(
  url: URL,
  deadline: Date,
  source: HttpSource,
): Promise<TryOutcome | null> {
  const { clock, pacer, headers, bytesMax } = source;
  let outcome: TryOutcome | null = null;
  for (let tries = 0; tries <= extraTriesMax; tries += 1) {
    if (tries > 0 && !(await waited(outcome, { tries, deadline, source }))) return outcome;
    if (!(await pacer.turn(deadline))) return outcome;
    const remainingMs = Math.floor(deadline.getTime() - clock.now().getTime());
    if (remainingMs <= 0) return outcome;
    const timeoutMs = Math.min(tryTimeoutMs, remainingMs);
    outcome = await tryOnce(url, { headers, timeoutMs, bytesMax });
    if (!mayPass(outcome, source)) return outcome;
  }
  return outcome;
}

const mayPass = (outcome: TryOutcome, { isTemporary }: HttpSource): boolean =>
  outcome.kind === "broken" || (outcome.kind === "answered" && isTemporary(outcome.status));

/** Waits as the source asks, else a random while; false when the deadline would be missed. */
async function waited(
  outcome: TryOutcome | null,
  retry: { readonly tries: number; readonly deadline: Date; readonly source: HttpSource },
): Promise<boolean> {
  const { clock, chance } = retry.source;
  const now = clock.now();
  const asked = outcome?.kind === "answered" ? retryAfterMs(outcome.retryAfter, now) : undefined;
  const bound = Math.min(jitterCapMs, jitterBaseMs * 2 ** (retry.tries - 1));
  const waitMs = asked ?? Math.round(chance.fraction() * bound);
  if (now.getTime() + waitMs >= retry.deadline.getTime()) return false;
  await clock.sleep(waitMs);
  return true;
}
