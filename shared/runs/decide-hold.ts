import type { Clock } from "../base/clock.ts";
import { bestEffort, type Warn } from "../base/best-effort.ts";
import { conflict, runNotFound } from "../base/errors.ts";
import { holdExpiresAt } from "./hold.ts";
import type { Hold, Run, RunRef } from "./run.ts";
import type { RunQueue } from "./run-queue.ts";
import type { RunStore } from "./run-store.ts";

/** The decision of a client about a held run. */
export interface HoldDecision {
  readonly status: "released" | "discarded";
  readonly reason: string | null;
}

interface DecideDependencies {
  readonly runs: Pick<RunStore, "get" | "decideHold">;
  readonly queue: Pick<RunQueue, "sendResume">;
  readonly clock: Clock;
  readonly warn: Warn;
}

/**
 * Records the decision of a client to release or discard a held run, and returns the run with this
 * decision. If the same decision was recorded before, returns the run unchanged. If the wake-up
 * message cannot be sent, logs a warning, and the sweeper continues the run.
 * @throws 404 if the run does not exist or its watchlist was deleted; 409 if the run is not held or
 * the opposite decision was recorded before; 503 if the rows stay contended or the retry budget is
 * exhausted
 */
export async function decideHold(
  ref: RunRef,
  { status, reason }: HoldDecision,
  { runs, queue, clock, warn }: DecideDependencies,
): Promise<Run> {
  const run = await runs.get(ref);
  if (run === undefined) throw runNotFound(ref.runNumber);
  const { hold } = run;
  if (isDecided(run, status)) return run;
  if (hold === undefined || run.phase !== "held") throw notHeld(run);
  const decided: Hold = { ...hold, status, decidedAt: clock.now().toISOString(), reason };
  if (await runs.decideHold(run, decided)) {
    await bestEffort(() => queue.sendResume(run), warn);
    return { ...run, hold: decided };
  }
  const after = await runs.get(ref);
  if (after === undefined || after.phase === "held") throw runNotFound(ref.runNumber);
  if (isDecided(after, status)) return after;
  throw notHeld(after);
}

const isDecided = ({ hold }: Run, status: HoldDecision["status"]): boolean =>
  hold?.status === status;

function notHeld({ runNumber, phase, hold, finishedAt }: Run): Error {
  if (phase === "holding") {
    return conflict(`Run ${runNumber} is still ending. Try again in a few seconds.`);
  }
  if (finishedAt === null) {
    return conflict(
      `Run ${runNumber} is in progress. If its brake holds it at its end, you can release or discard it.`,
    );
  }
  return conflict(
    hold === undefined
      ? `Run ${runNumber} is not held by a brake, so it cannot be released or discarded.`
      : `Run ${runNumber} was ${hold.status} at ${hold.decidedAt}. The decision cannot be changed.`,
  );
}

/**
 * Discards a held run that no client released or discarded within 7 days of its end. Does nothing
 * before the time that `holdExpiresAt` returns. Returns true if this call discarded the run.
 */
export async function expireHold(
  run: Run,
  { runs, clock }: Pick<DecideDependencies, "runs" | "clock">,
): Promise<boolean> {
  const { hold } = run;
  const now = clock.now();
  if (hold === undefined || now < holdExpiresAt(run)) return false;
  return runs.decideHold(run, {
    ...hold,
    status: "discarded",
    decidedAt: now.toISOString(),
    reason: "The run was neither released nor discarded within 7 days.",
  });
}
