/** What may be retried of all calls, so that a dying source is not asked three times as often. */
export interface RetryTokens {
  /** A call earns a part of a retry. */
  earn(): void;
  /** False when there is no retry left. */
  spend(): boolean;
}

const earnedPerCall = 0.2;
/** Enough for a handful of calls to be retried in full. */
const tokensMax = 10;

export function retryTokens(): RetryTokens {
  let tokens = tokensMax;
  return {
    earn() {
      tokens = Math.min(tokensMax, tokens + earnedPerCall);
    },
    spend() {
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
