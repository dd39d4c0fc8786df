import * as deliveryStores from "../composition/delivery-stores.ts";
import * as provide from "../composition/process.ts";
import { assertNever } from "../../shared/base/assert.ts";
import { bestEffort } from "../../shared/base/best-effort.ts";
import { addWorkKeys, recordMetrics } from "../../shared/observability/work-log.ts";
import { resumeRun } from "../../shared/runs/resume-run.ts";
import { claimDueRun } from "../../shared/runs/claim-due-run.ts";
import { purgeWatchlist } from "../../shared/watchlists/purge-watchlist.ts";
import { restoreSchedule } from "../../shared/watchlists/restore-schedule.ts";
import { type RunsMessage, runsMessage } from "../../shared/messages/runs-queue.ts";
import { ledger } from "../composition/ledger.ts";
import { schedules } from "../composition/on-first-use/schedules.ts";
import * as stores from "../composition/watchlist-stores.ts";
import { runQueue } from "../composition/queues.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { type Overrides, timeAndRandom } from "../composition/overrides.ts";
import { batchHandler, done, type QueueHandler } from "../queue/batch-handler.ts";
import { cancelHoldUntil } from "./cancel-hold.ts";

/**
 * Creates the handler of the runs queue, which starts and resumes runs, purges watchlists and
 * cancels holds.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function createHandler(
  environment: EnvironmentOf<"run-starter">,
  overrides: Overrides = {},
): QueueHandler {
  const logger = provide.logger(environment, "run-starter");
  const dependencies = {
    watchlists: stores.watchlists(environment, overrides),
    pages: stores.pages(environment, overrides),
    purges: stores.purges(environment, overrides),
    runs: stores.runs(environment, overrides),
    steps: stores.steps(environment, overrides),
    ledger: ledger(environment, "run-starter", overrides),
    queue: runQueue(environment, overrides),
    schedules: schedules(environment, overrides),
    endpoints: deliveryStores.endpoints(environment, overrides),
    ...timeAndRandom(overrides),
    report: recordMetrics,
  };
  const warn = provide.warnTo(logger);

  const start = async (message: RunsMessage & { readonly type: "due" }): Promise<void> => {
    const now = dependencies.clock.now();
    const ref = { accountId: message.account_id, watchlistId: message.watchlist_id };
    const scheduledTime = new Date(message.scheduled_time);
    const run = await claimDueRun({ ...ref, scheduledTime, now }, dependencies);
    addWorkKeys({ run_id: run?.id, run_number: run?.runNumber });
    // If the restore of the EventBridge schedule fails, the run continues, and a later message
    // repeats the restore. The sweeper sends such a message while the watchlist is overdue, and a
    // schedule that an earlier release created sends one at each run time.
    const isOldSchedule = message.hops === undefined;
    if (message.overdue || isOldSchedule) {
      await bestEffort(() => restoreSchedule({ ...ref, now }, dependencies), warn);
    }
    if (run !== undefined) await resumeRun(run, dependencies);
  };

  return batchHandler({
    schema: runsMessage,
    logger,
    clock: dependencies.clock,
    keys: ({ type, ...message }) => ({ message_type: type, ...message }),
    async work(message, { deadline }) {
      switch (message.type) {
        case "due":
          await start(message);
          return done;
        case "resume": {
          const { account_id: accountId, watchlist_id: watchlistId, run_number } = message;
          const ref = { accountId, watchlistId, runNumber: run_number };
          const run = await resumeRun(ref, dependencies);
          addWorkKeys({ run_id: run?.id });
          return done;
        }
        case "purge":
          await purgeWatchlist(
            { watchlistId: message.watchlist_id, until: deadline },
            dependencies,
          );
          return done;
        case "cancel": {
          const { account_id: accountId, hold_id: holdId } = message;
          await cancelHoldUntil({ accountId, holdId }, deadline, dependencies);
          return done;
        }
        default:
          return assertNever(message);
      }
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("run-starter", process.env)),
);
