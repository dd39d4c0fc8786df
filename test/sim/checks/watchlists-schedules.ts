import assert from "node:assert/strict";
import { parseExpression } from "../../../tools/local/schedule-expression.ts";
import { watchlistOf } from "../../../shared/aws/watchlists/watchlist-row.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import type { World } from "../world.ts";
import { allRows } from "./table-rows.ts";

interface Definition {
  readonly Name: string;
  readonly ScheduleExpression: string;
  readonly StartDate?: Date;
}

/**
 * A difference between a watchlist and its schedule, with the time by which a tick or the sweeper
 * must fix it.
 */
export interface Misfit {
  readonly watchlistId: string;
  readonly why: string;
  readonly healedAt: number;
}

const minute = 60_000;
/** How early a tick may start a run, in milliseconds before the due time. */
const toleranceMs = { every: minute, cron: 0 } as const;
/**
 * The time between the due time of a watchlist and its start by the sweeper, in milliseconds. A
 * tick within this time is not late.
 */
const graceMs = 90_000;
/** The maximum duration of two passes of the sweeper with their messages, in milliseconds. */
const sweepMs = 10 * minute;

/**
 * Starts to record the schedules in EventBridge Scheduler, and compares them with the watchlists
 * (invariants R10 and R11). `misfits` returns the current differences. `settle` throws
 * AssertionError if the service does not fix the differences in time.
 */
export function watchSchedules(world: World) {
  const defined = new Map<string, Definition & { readonly at: Date }>();
  world.afterEffect.push(({ service, operation, input }) => {
    if (service !== "scheduler") return;
    const definition = input as unknown as Definition;
    if (operation === "DeleteSchedule") defined.delete(definition.Name);
    else defined.set(definition.Name, { ...definition, at: new Date(world.tasks.now()) });
  });
  const nextTick = (name: string, after: number): number => {
    const found = defined.get(name);
    assert.ok(found, `no schedule is called ${name}`);
    const { ScheduleExpression: expression, StartDate: startDate = found.at } = found;
    const occurrences = parseExpression({ expression, startDate, endDate: null });
    return occurrences.next(new Date(after))?.getTime() ?? Infinity;
  };
  const misfits = async (): Promise<readonly Misfit[]> => {
    const lists = await listsOf(world);
    const found: Misfit[] = [];
    for (const { id: watchlistId, status, schedule, nextRunAt } of lists) {
      if (status === "paused") continue;
      const due = Date.parse(nextRunAt ?? "");
      const isKnown = defined.has(watchlistId);
      const from = due - toleranceMs[schedule.type] - 1;
      const tick = isKnown ? nextTick(watchlistId, from) : Infinity;
      if (tick <= due + graceMs) continue;
      const why = isKnown ? "has a late tick" : "has no schedule";
      found.push({ watchlistId, why, healedAt: due + graceMs + sweepMs });
    }
    const active = new Set(lists.filter(({ status }) => status === "active").map(({ id }) => id));
    for (const watchlistId of world.scheduler.names()) {
      if (active.has(watchlistId)) continue;
      const healedAt = nextTick(watchlistId, world.tasks.now()) + sweepMs;
      found.push({ watchlistId, why: "has an orphaned schedule", healedAt });
    }
    return found;
  };
  return {
    misfits,
    /**
     * Waits until the service has fixed all differences. New differences may appear during this
     * time, because a watchlist that is paused for lack of credits keeps its schedule until the
     * next tick.
     */
    async settle(quiet: () => Promise<void>): Promise<void> {
      const found = await misfits();
      if (found.length === 0) return;
      for (const { why } of found) world.reached(`the service fixed a watchlist that ${why}`);
      const until = Math.max(...found.map(({ healedAt }) => healedAt));
      assert.ok(until < Infinity, "an orphaned schedule has no next tick");
      world.begin("wait for the sweeper", () => world.pause(until - world.tasks.now()));
      await quiet();
      const nameOf = ({ watchlistId, why }: Misfit): string => `${watchlistId} ${why}`;
      const before = new Set(found.map(nameOf));
      const left = (await misfits()).map(nameOf).filter((name) => before.has(name));
      assert.deepEqual(left, [], "misfits that the service did not fix in time");
    },
  };
}

async function listsOf(world: World): Promise<readonly Watchlist[]> {
  const rows = await allRows(world);
  return rows.filter(({ sk }) => sk.startsWith("watchlist#")).map(watchlistOf);
}
