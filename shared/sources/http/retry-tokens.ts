/** Limits retries across all calls, so that a failing source does not get three times the calls. */
export interface RetryTokens {
  /** Adds a part of a retry, for each call. */
  earn(): void;
  /** Takes one retry; returns false if none is left. */
  spend(): boolean;
}

const earnedPerCall = 0.2;
/** Enough for all retries of five calls. */
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
