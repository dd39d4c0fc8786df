import { dynamoListsReader, type RunLine } from "../../tools/reconcile/readers/lists.ts";
import { dynamoStepStore } from "../../shared/aws/runs/step-store.ts";
import { limits } from "../../shared/base/limits.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import { presentRun } from "../../shared/runs/present-run.ts";
import type { StepRecord } from "../../shared/runs/step.ts";
import { type Admin, type Commands, listOf, requiredOption, wholeNumber } from "./command.ts";
import { existingAccount } from "./existing.ts";
import { pendingBatches, waitsFor } from "./waits-for.ts";

const listsOf = ({ dynamo, target }: Admin) => dynamoListsReader(dynamo, target.tables.watchlists);

export const watchlistCommands: Commands = {
  watchlists: {
    example: "--account acct_1",
    needs: ["account"],
    about: "Lists the watchlists of an account.",
    async run(values, admin) {
      const { id } = await existingAccount(requiredOption(values, "account"), admin);
      return listOf(await watchlistLines(id, admin));
    },
  },
  runs: {
    example: "--watchlist wl_1 --limit 5",
    needs: ["watchlist"],
    takes: ["limit"],
    about: "Lists the runs of a watchlist, newest first.",
    async run(values, admin) {
      const { default: otherwise } = limits.pagination.runs;
      const limit = wholeNumber(values, "limit", { least: 1, otherwise });
      const watchlistId = requiredOption(values, "watchlist");
      const lines: RunLine[] = [];
      for await (const line of listsOf(admin).runs(watchlistId)) {
        lines.push(line);
        if (lines.length > limit) break;
      }
      if (lines.length === 0 && !(await hasPages(watchlistId, admin))) {
        throw new Error(`Watchlist ${watchlistId} does not exist. Check the ID and --stage.`);
      }
      return listOf(lines.slice(0, limit).map(runLine), lines.length > limit);
    },
  },
  "runs show": {
    example: "--watchlist wl_1 --run 3",
    needs: ["watchlist", "run"],
    about: "Shows a run: its phase, its steps and their batches, and the action that it waits for.",
    run: async (values, admin) =>
      showRun(requiredOption(values, "watchlist"), wholeNumber(values, "run", { least: 1 }), admin),
  },
};

/**
 * Returns true if a watchlist has pages. Until a watchlist is deleted, it has at least one page,
 * which may be empty.
 */
async function hasPages(watchlistId: string, admin: Admin): Promise<boolean> {
  const pages = listsOf(admin).pages(watchlistId)[Symbol.asyncIterator]();
  const { done } = await pages.next();
  return done !== true;
}

/**
 * Returns one summary for each watchlist of an account, with the fields that the command prints.
 * @returns An empty array if the account has no watchlists.
 * @throws Error if the stored row of a watchlist is damaged.
 */
export async function watchlistLines(accountId: string, admin: Admin): Promise<unknown[]> {
  const lists = await Array.fromAsync(listsOf(admin).lists(accountId));
  return lists.map(({ watchlist, itemTotal }) => ({
    id: watchlist.id,
    name: watchlist.name,
    platform: watchlist.platform,
    status: watchlist.status,
    paused_reason: watchlist.pausedReason,
    items: itemTotal,
    run_count: watchlist.runCount,
    running_run: watchlist.runningRun,
    last_run_status: watchlist.lastRunStatus,
    next_run_at: watchlist.nextRunAt,
  }));
}

const runLine = ({ run, dueAt }: RunLine): unknown => ({
  run_number: run.runNumber,
  id: run.id,
  trigger: run.trigger,
  kind: run.kind,
  phase: run.phase,
  status: run.status,
  credits: run.credits,
  tracked: run.stats.tracked,
  changed: run.stats.changed,
  started_at: run.startedAt,
  finished_at: run.finishedAt,
  sweeper_looks_at: dueAt,
});

async function showRun(watchlistId: string, runNumber: number, admin: Admin): Promise<unknown> {
  const foundLine = await listsOf(admin).run(watchlistId, runNumber);
  if (foundLine === undefined)
    throw new Error(
      `Watchlist ${watchlistId} has no run ${runNumber}. List its runs with: ` +
        `npm run admin -- runs --watchlist ${watchlistId}`,
    );
  const { run, dueAt } = foundLine;
  const table = admin.target.tables.watchlists;
  const store = dynamoStepStore(admin.dynamo, { table, clock: systemClock, random: systemRandom });
  const steps = await store.list(run.id);
  return {
    waits_for: waitsFor(run, steps),
    phase: run.phase,
    progress_at: run.progressAt,
    sweeper_looks_at: dueAt,
    steps: steps.map(stepLine),
    ...presentRun(run),
  };
}

const stepLine = (step: StepRecord): unknown => ({
  step: step.step,
  scraper: step.scraper,
  decision: step.decision,
  items: step.items,
  batches: step.batches,
  batches_done: step.done.size,
  batches_left: pendingBatches(step),
  credits: step.stats?.credits ?? null,
});
