import type { Clock } from "../../base/clock.ts";
import { gapMsOf, type RateBudget, type RateGrant } from "./rate-budget.ts";
import type { Speed } from "./speed.ts";

/** Hands out the calls that a budget grants, first come first served. */
export interface Turns {
  /**
   * Resolves to true when a call may start, to false when it could not before the deadline. The next
   * call starts `gapMs` after it at the earliest, whoever makes it.
   */
  take(wish: { readonly deadline: Date; readonly gapMs: number }): Promise<boolean>;
}

export interface TurnsOptions {
  readonly source: string;
  readonly burst: number;
  readonly callsPerSecond: number;
  readonly speed: Pick<Speed, "perSecond">;
  readonly budget: RateBudget;
  readonly clock: Clock;
}

interface Waiting {
  readonly deadline: Date;
  readonly gapMs: number;
  readonly start: (at: Date | null) => void;
}

/** A process reserves no more than this much of the future in one go. */
const reservedSecondsMax = 1;

/** Asks the budget for all who wait at once, so that many calls make few requests to it. */
export function turns(options: TurnsOptions): Turns {
  const { clock } = options;
  const waiting: Waiting[] = [];
  let isAsking = false;
  const ask = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    try {
      while (waiting.length > 0) await serve(waiting, options);
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

/** One request to the budget for those who wait; gives each of them a time, or none. */
async function serve(waiting: Waiting[], options: TurnsOptions): Promise<void> {
  const { source, callsPerSecond, speed, budget, clock } = options;
  const gapMs = Math.max(...waiting.map((one) => one.gapMs));
  const perSecond = Math.min(speed.perSecond(clock.now()), gapMs > 0 ? 1_000 / gapMs : Infinity);
  // Whoever goes slower than it may, takes more of the budget for each call and saves up nothing.
  const burst = gapMs > 0 || perSecond < callsPerSecond ? 1 : options.burst;
  const permitsMax = Math.max(burst, Math.ceil(perSecond * reservedSecondsMax));
  const asking = waiting.slice(0, permitsMax);
  const until = new Date(Math.max(...asking.map(({ deadline }) => deadline.getTime())));
  const wanted = { permits: asking.length, perSecond, burst, until };
  const grant = await budget.take(source, wanted, clock.now());
  // Not even the most patient of them can be served in time.
  if (grant.permits === 0) for (const { start } of waiting.splice(0, asking.length)) start(null);
  handOut(waiting, grant, gapMsOf(wanted));
}

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
