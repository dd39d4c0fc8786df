import { probesLimited } from "../base/errors.ts";
import { limits } from "../base/limits.ts";

/**
 * Counts the probes of accounts. A probe is a call of the API that resolves or connects to an
 * address of the customer while the client waits for the response.
 */
export interface ProbeCounter {
  /**
   * Counts a probe. Returns null if the account may make the probe. If the account has reached
   * `limits.probes`, returns the time from which it can make another probe, in milliseconds since
   * 1970.
   * @throws the error of the store if it cannot count the probe
   */
  count(accountId: string, now: Date): Promise<number | null>;
}

export interface ProbeDependencies {
  readonly probes: ProbeCounter;
}

/**
 * Counts a probe against the limit of its account. Call this function before the other checks of
 * the probe, so that a probe that these checks refuse counts too.
 * @throws 429 RATE_LIMITED if the account has already made the maximum number of probes
 * (`limits.probes`); 503 UNAVAILABLE if the store fails, so that no probe starts without being
 * counted
 */
export async function countProbe(
  { accountId, now }: { readonly accountId: string; readonly now: Date },
  { probes }: ProbeDependencies,
): Promise<void> {
  const retryFromMs = await probes.count(accountId, now);
  if (retryFromMs === null) return;
  const seconds = Math.max(1, Math.ceil((retryFromMs - now.getTime()) / 1_000));
  throw probesLimited(limits.probes, seconds);
}
