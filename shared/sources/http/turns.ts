import type { RandomSource, Clock } from "../../base/clock.ts";
import { gapMsOf, type RateBudget, type RateGrant } from "./rate-budget.ts";
import type { Speed } from "./speed.ts";

/** Distributes the permits of a rate budget to waiting calls, in the order of their requests. */
export interface Turns {
  /**
   * Resolves to true when the call may start, and to false if it cannot start before the deadline.
   * If `gapMs` is positive, the next call to the source by any process starts at least `gapMs`
   * milliseconds later.
   */
  take(request: { readonly deadline: Date; readonly gapMs: number }): Promise<boolean>;
}

export interface TurnsOptions {
  readonly source: string;
  readonly burst: number;
  readonly callsPerSecond: number;
  readonly speed: Pick<Speed, "perSecond">;
  readonly budget: RateBudget;
  readonly clock: Clock;
  readonly random: Pick<RandomSource, "fraction">;
  /**
   * True if the rate of a fast source is spread over several table rows. All calls must then have a
   * `gapMs` of 0.
   */
  readonly isSpread: boolean;
}

interface Waiting {
  readonly deadline: Date;
  readonly gapMs: number;
  readonly start: (at: Date | null) => void;
}

/** Maximum number of seconds for which one request reserves permits. */
const reservedSecondsMax = 1;
/**
 * Maximum rate of one share, in calls per second. A share is a part of the source's rate that has
 * its own table row. Each granted or refused permit may cost one write, and DynamoDB accepts 1,000
 * writes per second to one row.
 */
export const sharePerSecondMax = 250;

/**
 * Creates the queue of the calls that wait for permits of a rate budget. The queue requests permits
 * for all waiting calls together, so that many calls need few requests to the budget.
 */
export function turns(options: TurnsOptions): Turns {
  const { clock, callsPerSecond, burst, random, isSpread } = options;
  const waiting: Waiting[] = [];
  // The number of shares depends only on the configuration, so that all processes use the same
  // shares.
  const wanted = isSpread ? Math.ceil(callsPerSecond / sharePerSecondMax) : 1;
  const count = Math.max(1, Math.min(burst, wanted));
  const shares = { count, next: Math.floor(random.fraction() * count) };
  let isAsking = false;
  const ask = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    try {
      while (waiting.length > 0) await serve(waiting, shares, options);
    } finally {
      isAsking = false;
    }
  };
  return {
    async take({ deadline, gapMs }) {
      const at = await new Promise<Date | null>((start, fail) => {
        waiting.push({ deadline, gapMs, start });
        ask().catch(fail);
      });
      if (at === null) return false;
      const waitMs = at.getTime() - clock.now().getTime();
      if (waitMs > 0) await clock.sleep(Math.ceil(waitMs));
      return clock.now() < deadline;
    },
  };
}

/**
 * The shares of a source's budget, each with one table row. A process uses the shares in rotation.
 */
interface Shares {
  readonly count: number;
  next: number;
}

/**
 * Requests permits from as many shares as needed. Calls `start` of each call: with the start time
 * if the call gets a permit, and with null if the call cannot start before its deadline.
 */
async function serve(waiting: Waiting[], shares: Shares, options: TurnsOptions): Promise<void> {
  const { source, callsPerSecond, speed, budget, clock } = options;
  const gapMs = Math.max(...waiting.map((one) => one.gapMs));
  const perSecond = Math.min(speed.perSecond(clock.now()), gapMs > 0 ? 1_000 / gapMs : Infinity);
  // At a reduced rate, each call uses more of the budget, and bursts are not allowed.
  const burst = gapMs > 0 || perSecond < callsPerSecond ? 1 : options.burst;
  const permitsMax = Math.max(burst, Math.ceil(perSecond * reservedSecondsMax));
  const asking = waiting.slice(0, permitsMax);
  const until = new Date(Math.max(...asking.map(({ deadline }) => deadline.getTime())));
  const { count } = shares;
  const wanted = {
    perSecond: perSecond / count,
    burst: Math.max(1, Math.floor(burst / count)),
    until,
  };
  let granted = 0;
  for (let tries = 0; tries < count && granted < asking.length; tries += 1) {
    const share = shares.next % count;
    shares.next = share + 1;
    const permits = Math.ceil((asking.length - granted) / (count - tries));
    const ask = { ...wanted, permits };
    const grant = await budget.take(shareName(source, share), ask, clock.now());
    granted += grant.permits;
    handOut(waiting, grant, gapMsOf(ask));
  }
  // If no permit was granted, none of these calls can start before its deadline, so all are
  // refused.
  if (granted === 0) for (const { start } of waiting.splice(0, asking.length)) start(null);
}

/**
 * Returns the name of the budget of a share. The first share has the source's name, so the name of
 * a source with one share does not change.
 */
const shareName = (source: string, share: number): string =>
  share === 0 ? source : `${source}#${share}`;

/**
 * Gives the granted permits to the longest waiting calls. A call whose start time would be at its
 * deadline or later is refused, and uses no permit.
 */
function handOut(waiting: Waiting[], { from, permits }: RateGrant, gapMs: number): void {
  for (let used = 0; used < permits;) {
    const next = waiting.shift();
    if (next === undefined) return;
    const at = new Date(from.getTime() + used * gapMs);
    const isInTime = at < next.deadline;
    if (isInTime) used += 1;
    next.start(isInTime ? at : null);
  }
}
