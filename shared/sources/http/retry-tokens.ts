/**
 * Limits the retries of all calls to a source. Otherwise, retries could triple the load of a
 * failing source.
 */
export interface RetryTokens {
  /** Adds a fifth of a retry. Call it once for each call to the source. */
  earn(): void;
  /** Uses one retry and returns true, or returns false if none is left. */
  spend(): boolean;
}

const earnedPerCall = 0.2;
/** Maximum number of stored retries: enough for five calls with two retries each. */
const tokensMax = 10;

/**
 * Creates a limit on the retries of one source. At first, ten retries are available. Each retry
 * uses one of them (`spend`), and each call adds a fifth of a retry (`earn`), up to ten.
 */
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
