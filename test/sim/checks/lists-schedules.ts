import assert from "node:assert/strict";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { parseExpression } from "../../../tools/local/schedule-expression.ts";
import { watchlistOf } from "../../../shared/aws/watchlists/watchlist-row.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import type { World } from "../world.ts";

interface Definition {
  readonly Name: string;
  readonly ScheduleExpression: string;
  readonly StartDate?: Date;
}

/** A list and its schedule that do not go together, and when a tick or the sweeper finds it. */
export interface Misfit {
  readonly watchlistId: string;
  readonly why: string;
  readonly healedAt: number;
}

const minute = 60_000;
/** A tick of a cadence may come so much before the due time, and starts the run. */
const toleranceMs = { every: minute, cron: 0 } as const;
/** The sweeper leaves a due list alone for so long; a tick before that is as good as any. */
const graceMs = 90_000;
/** Two sweeps, and the messages that follow. */
const sweepMs = 10 * minute;

/** Keeps what the Scheduler was told, and holds it to the rows (R10, R11). */
export function watchSchedules(world: World) {
  const defined = new Map<string, Definition & { readonly at: Date }>();
  world.watchers.push(({ service, operation, input }) => {
    if (service !== "scheduler") return;
    const definition = input as unknown as Definition;
    if (operation === "DeleteSchedule") defined.delete(definition.Name);
    else defined.set(definition.Name, { ...definition, at: new Date(world.turns.now()) });
  });
  const nextTick = (name: string, after: number): number => {
    const found = defined.get(name);
    assert.ok(found, `there is a schedule ${name}`);
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
      const why = isKnown ? "ticks late" : "has no schedule";
      found.push({ watchlistId, why, healedAt: due + graceMs + sweepMs });
    }
    const active = new Set(lists.filter(({ status }) => status === "active").map(({ id }) => id));
    for (const watchlistId of world.scheduler.names()) {
      if (active.has(watchlistId)) continue;
      const healedAt = nextTick(watchlistId, world.turns.now()) + sweepMs;
      found.push({ watchlistId, why: "has a schedule and wants none", healedAt });
    }
    return found;
  };
  return {
    misfits,
    /**
     * Lets the time pass that the service has for putting right what does not fit. Meanwhile others
     * may come: a list that is paused for want of credits keeps its schedule until the next tick.
     */
    async settle(quiet: () => Promise<void>): Promise<void> {
      const found = await misfits();
      if (found.length === 0) return;
      for (const { why } of found) world.sighted(`list that ${why}, put right`);
      const until = Math.max(...found.map(({ healedAt }) => healedAt));
      assert.ok(until < Infinity, "a schedule that nobody wants ticks some time");
      world.begin("who waits", () => world.pause(until - world.turns.now()));
      await quiet();
      const nameOf = ({ watchlistId, why }: Misfit): string => `${watchlistId} ${why}`;
      const before = new Set(found.map(nameOf));
      const left = (await misfits()).map(nameOf).filter((name) => before.has(name));
      assert.deepEqual(left, [], "what did not fit is put right in its time");
    },
  };
}

async function listsOf({ client, table }: World): Promise<readonly Watchlist[]> {
  const lists: Watchlist[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: table,
        FilterExpression: "begins_with(sk, :list)",
        ExpressionAttributeValues: { ":list": "watchlist#" },
        ExclusiveStartKey,
      }),
    );
    lists.push(...(page.Items ?? []).map(watchlistOf));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return lists;
}
