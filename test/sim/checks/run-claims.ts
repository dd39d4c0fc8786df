import assert from "node:assert/strict";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { Row } from "../../../shared/aws/table/dynamo.ts";
import type { RowKey } from "../../../shared/aws/table/table.ts";
import type { Attempt } from "../attempt.ts";
import { lastAnswerTo, type FlatAnswer } from "../sources.ts";
import type { World } from "../world.ts";
import { rowAt } from "./table-rows.ts";

/** Facts about runs that were recorded during the seed. */
export interface RunsSeen {
  /** The sources' answers that led to each recorded result, by the key of the result's row. */
  readonly answers: ReadonlyMap<string, readonly FlatAnswer[]>;
  /**
   * The virtual time at which each result was recorded, in milliseconds, by the key of the result's
   * row.
   */
  readonly recordedAt: ReadonlyMap<string, number>;
  /** The runs that had to pause their watchlist, as `<watchlist ID> <run number>`. */
  readonly pausing: ReadonlySet<string>;
}

const minute = 60_000;
/** The largest clock error of a process, in milliseconds. */
const clockOffMs = 130_000;
/**
 * The longest time by which a run may start early, in milliseconds. A tick may come a minute before
 * the due time, and the clock of the process that set the due time may differ.
 */
const toleranceMs = minute + clockOffMs;
/**
 * The number of skipped runs in sequence that pauses a watchlist (specification, section "Limits").
 */
const skipsMax = 3;

interface Watched {
  readonly world: World;
  readonly answers: Map<string, readonly FlatAnswer[]>;
  readonly recordedAt: Map<string, number>;
  readonly pausing: Set<string>;
  /** The due times that had a run, as `<partition of the watchlist> <due time>`. */
  readonly dues: Set<string>;
  /** The triggers of runs, by the keys of their rows. */
  readonly triggers: Map<string, string>;
  /** The keys of the rows of ended runs. */
  readonly ended: Set<string>;
}

const textOf = ({ pk, sk }: RowKey): string => `${pk}/${sk}`;

/**
 * Starts to check each start and end of a run, and each skipped due time. No due time may have two
 * runs (invariant R10), and the count of skipped runs must be right (invariant R8). Reports
 * violations immediately, which ends the seed. The returned facts grow while the seed runs.
 */
export function watchRuns(world: World): RunsSeen {
  const watched: Watched = {
    world,
    answers: new Map(),
    recordedAt: new Map(),
    pausing: new Set(),
    dues: new Set(),
    triggers: new Map(),
    ended: new Set(),
  };
  let before: Row | undefined;
  world.beforeEffect.push(async (attempt) => {
    const key = listKeyOf(attempt);
    if (key !== undefined) before = await rowAt(world, key);
  });
  world.afterEffect.push(async (attempt) => {
    keepAnswer(attempt, watched);
    const key = listKeyOf(attempt);
    if (key === undefined || before === undefined) return;
    const writes = writesOf(attempt);
    try {
      if (attempt.operation === "UpdateItem") checkPassedOver(attempt, { before, writes }, watched);
      else if (writes.some(({ kind }) => kind === "Put")) checkClaim(before, writes, watched);
      else await checkFinish(key, { before, writes }, watched);
    } catch (error) {
      world.reportViolation(error instanceof Error ? error : new Error(String(error)));
    }
  });
  return watched;
}

/** Returns true for the key of a run. The rows of the history have similar sort keys. */
const isRun = ({ pk, sk }: RowKey): boolean => pk.startsWith("watchlist#") && sk.startsWith("run#");

interface Write {
  readonly kind: string;
  readonly key: RowKey;
  readonly row: () => Row;
  /** Returns the values in the expression of the write. */
  readonly values: () => Row;
}

interface Text {
  readonly S: string;
}
type Wire = Parameters<typeof unmarshall>[0];
const plain = (wire: unknown): Row => (wire === undefined ? {} : unmarshall(wire as Wire));

function writeOf(kind: string, input: Attempt["input"]): Write {
  const wire = (input["Item"] ?? input["Key"]) as { readonly pk: Text; readonly sk: Text };
  const key = { pk: wire.pk.S, sk: wire.sk.S };
  const values = () => plain(input["ExpressionAttributeValues"]);
  return { kind, key, row: () => plain(wire), values };
}

function writesOf({ operation, input }: Pick<Attempt, "operation" | "input">): readonly Write[] {
  if (operation !== "TransactWriteItems") return [writeOf("Update", input)];
  return (input["TransactItems"] as readonly object[]).flatMap((item) =>
    (Object.entries(item) as [string, Attempt["input"]][]).map(([kind, write]) =>
      writeOf(kind, write),
    ),
  );
}

/**
 * Returns the key of the watchlist if a request starts or ends a run, or skips a due time of the
 * watchlist; undefined for other requests.
 */
function listKeyOf({ service, operation, input }: Attempt): RowKey | undefined {
  if (service !== "dynamo") return undefined;
  if (operation === "UpdateItem" ? !isPassedOver(input) : operation !== "TransactWriteItems") {
    return undefined;
  }
  const writes = writesOf({ operation, input });
  const isOfRun = operation === "UpdateItem" || writes.some(({ key }) => isRun(key));
  return isOfRun ? writes.find(({ key }) => key.sk.startsWith("watchlist#"))?.key : undefined;
}

/** Returns true for a request that advances the due time of a watchlist without starting a run. */
const isPassedOver = (input: Attempt["input"]): boolean =>
  String(input["UpdateExpression"]).startsWith("SET next_run_at = :next, due_at = :next");

/** If a request stores a result, records its time and the last answers that the task received. */
function keepAnswer(
  { service, operation, input, task }: Attempt,
  { world, answers, recordedAt }: Watched,
): void {
  if (service !== "dynamo" || operation !== "PutItem") return;
  const { pk, sk } = input["Item"] as { readonly pk: Text; readonly sk: Text };
  if (!sk.S.startsWith("result#")) return;
  recordedAt.set(textOf({ pk: pk.S, sk: sk.S }), world.tasks.now());
  const received = lastAnswerTo(task);
  if (received !== undefined) answers.set(textOf({ pk: pk.S, sk: sk.S }), received);
}

interface EveryRow {
  readonly type: "every";
  readonly everySeconds: number;
}
/**
 * A watchlist row with a cron expression. In this scenario, crons fire every 5 or 10 minutes, in
 * time zones with whole-hour offsets.
 */
interface CronRow {
  readonly type: "cron";
  readonly cron: string;
  readonly timezone: string;
}

/**
 * The hour that Berlin's clocks repeat at the end of summer time. No due time is in its second
 * occurrence.
 */
const repeatedHour = {
  from: Date.parse("2026-10-25T01:00:00Z"),
  to: Date.parse("2026-10-25T02:00:00Z"),
} as const;

/** Returns the first due time after `now`, for a watchlist that was due at `due`. */
function firstAfter(schedule: EveryRow | CronRow, due: number, now: number): number {
  if (schedule.type === "every") {
    const stepMs = schedule.everySeconds * 1_000;
    return due + Math.max(1, Math.floor((now - due) / stepMs) + 1) * stepMs;
  }
  const stepMs = (schedule.cron.startsWith("*/5") ? 5 : 10) * minute;
  const next = (Math.floor(Math.max(due, now) / stepMs) + 1) * stepMs;
  const isRepeated = next >= repeatedHour.from && next < repeatedHour.to;
  return isRepeated && schedule.timezone === "Europe/Berlin" ? repeatedHour.to : next;
}

const scheduleOf = (list: Row): EveryRow | CronRow => list["schedule"] as EveryRow | CronRow;

function checkClaim(list: Row, writes: readonly Write[], watched: Watched): void {
  const { dues, triggers, world } = watched;
  const claim = writes.find(({ kind, key }) => kind === "Put" && isRun(key));
  const update = writes.find(({ key }) => key.sk.startsWith("watchlist#"));
  if (claim === undefined || update === undefined) return;
  const { key } = claim;
  const row = claim.row();
  // A retry by the SDK repeats a start that has already taken effect.
  if (triggers.has(textOf(key))) return;
  const where = `run ${String(row["run_number"])} of ${key.pk}`;
  assert(Number(list["item_total"]) > 0, `${where} starts without items`);
  triggers.set(textOf(key), String(row["trigger"]));
  const startedAt = Date.parse(String(row["started_at"]));
  const next: unknown = update.values()[":next"];
  if (list["status"] === "paused")
    return assert.equal(next, null, `${where}: next run of a paused watchlist`);
  if (row["trigger"] === "manual") {
    const first = firstAfter(scheduleOf(list), startedAt, startedAt);
    // The process may have been suspended after it read the clock. The due time after `startedAt`
    // can then be earlier than the stored due time, which the claim must keep.
    const latest = Math.max(first, Date.parse(String(list["next_run_at"])));
    return assert.equal(
      next,
      new Date(latest).toISOString(),
      `${where}: next run after a manual run`,
    );
  }
  const due = Date.parse(String(list["next_run_at"]));
  assert(due <= world.tasks.now() + toleranceMs, `${where} starts before it is due`);
  const name = `${key.pk} ${due}`;
  assert(!dues.has(name), `${where}: the due time has already had a run`);
  dues.add(name);
  const first = firstAfter(scheduleOf(list), due, startedAt);
  assert.equal(next, new Date(first).toISOString(), `${where}: next run`);
}

/**
 * Checks a write that skips a due time. The due time must have come. The watchlist must have no
 * items, or the write must name another run as the reason. That run may have ended since then.
 */
function checkPassedOver(
  { input, task }: Attempt,
  { before: list, writes }: { readonly before: Row; readonly writes: readonly Write[] },
  { world }: Watched,
): void {
  const [update] = writes;
  const where = `a due time of ${String(list["id"])}`;
  const names: object = input["ExpressionAttributeNames"] ?? {};
  if (!("#overlaps" in names)) {
    assert.equal(list["item_total"], 0, `${where} is skipped for lack of items`);
    world.reached("a due time of an empty watchlist was skipped");
  }
  const due = Date.parse(String(list["next_run_at"]));
  const next = Date.parse(String(update?.values()[":next"]));
  const now = world.tasks.now();
  assert(due <= now + toleranceMs, `${where} is skipped before it has come`);
  // A slow process may have calculated the next due time at any moment since the process started.
  const nexts = new Set<number>();
  const from = task.startedAt - clockOffMs;
  for (let at = from; at <= now + clockOffMs; at += minute / 2)
    nexts.add(firstAfter(scheduleOf(list), due, at));
  nexts.add(firstAfter(scheduleOf(list), due, now + clockOffMs));
  assert(nexts.has(next), `${where}: the next due time is wrong: ${new Date(next).toISOString()}`);
}

/**
 * Checks the count of skipped runs when a run ends (invariant R8). A skipped scheduled run is
 * counted, the third in sequence pauses the watchlist, and any other run resets the count.
 */
async function checkFinish(
  listKey: RowKey,
  { before, writes }: { readonly before: Row; readonly writes: readonly Write[] },
  { world, triggers, ended, pausing }: Watched,
): Promise<void> {
  const end = writes.find(({ key, values }) => isRun(key) && ":finishing" in values());
  if (end === undefined || ended.has(textOf(end.key))) return;
  ended.add(textOf(end.key));
  const after = await rowAt(world, listKey);
  assert(after !== undefined, "the watchlist of an ended run does not exist");
  const number = Number(before["running_run"]);
  const where = `run ${number} of ${end.key.pk}`;
  const isSkipped = end.values()[":status"] === "insufficient_credits";
  // `consecutive_skips` does not count skipped manual runs.
  const isByHand = triggers.get(textOf(end.key)) === "manual";
  const skipsBefore = Number(before["consecutive_skips"]);
  const skips = isSkipped ? skipsBefore + (isByHand ? 0 : 1) : 0;
  assert.equal(after["consecutive_skips"], skips, `${where}: skips in a row`);
  if (skips > 0) world.reached("a scheduled run was skipped");
  if (skipsBefore > 0 && skips === 0) world.reached("a run succeeded after a skipped one");
  if (skips < skipsMax || before["status"] !== "active") {
    return assert.equal(after["status"], before["status"], `${where}: status`);
  }
  pausing.add(`${String(before["id"])} ${number}`);
  const { status, paused_reason: reason, next_run_at: next } = after;
  assert.deepEqual(
    { status, reason, next },
    { status: "paused", reason: "insufficient_credits", next: null },
    `${where}, the third skip in a row`,
  );
}
