import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import type { Row } from "../../../shared/aws/table/dynamo.ts";
import { watchlistKeys } from "../../../shared/aws/table/table.ts";
import type { ItemOutcome } from "../../../shared/runs/item-outcome.ts";
import { checkShapes, isHeldForShape } from "./run-shapes.ts";
import { isDiscarded } from "../scenarios/runs-holds.ts";
import type { WatchlistScene, Receiver, RunsScene } from "../scenarios/runs-scene.ts";
import {
  outcomesOf,
  type Records,
  type RunRecords,
  type StepRecords,
} from "../scenarios/runs-records.ts";
import { assertLabels, labelsDuring } from "../scenarios/runs-labels.ts";
import type { User, World } from "../world.ts";

interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The largest difference between the clocks of two processes, in milliseconds. */
export const skewMs = 250_000;

/**
 * Checks that the events of an account's runs are in its feed, at its receivers and in its bucket.
 * @throws Error if a check fails
 */
export async function checkEvents(
  { world, seen, receivers }: RunsScene,
  user: User,
  own: readonly { readonly list: WatchlistScene; readonly records: Records }[],
): Promise<void> {
  const events = await feedOf(world, user);
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length, "no event twice");
  const known = new Map<unknown, Receiver | null>();
  for (const { list, records } of own) {
    checkShapes(records, world.reached);
    for (const record of records) {
      known.set(record.run.id, list.receiver);
      const isPausing = seen.pausing.has(`${list.id} ${record.run.runNumber}`);
      checkRun({ list, record, seen, isPausing, reached: world.reached }, events);
    }
  }
  for (const event of events)
    assert(known.has(runOf(event)), `${event.id} belongs to no known run`);
  const meant = events.map((event) => [event, known.get(runOf(event)) ?? null] as const);
  checkReceivers(world, receivers.get(user.accountId) ?? [], meant);
  checkBucket(world, user, events);
}

interface RunSeen {
  readonly list: WatchlistScene;
  readonly record: RunRecords;
  readonly seen: RunsScene["seen"];
  /** True if this is the third skipped run in sequence. */
  readonly isPausing: boolean;
  readonly reached: World["reached"];
}

const runOf = ({ data }: Event): unknown => data["run_id"] ?? data["id"];

/** Reads all events of an account through the API. */
async function feedOf(world: World, user: User): Promise<readonly Event[]> {
  const events: Event[] = [];
  world.begin("feed reader", async () => {
    let after = "";
    for (let page = 0; page < 100; page += 1) {
      const path = `/v1/events?limit=100${after === "" ? "" : `&after=${after}`}`;
      const answer = await world.call({ method: "GET", path, key: user.key });
      assert.equal(answer?.status, 200, answer?.text);
      const body = answer?.body as unknown as { data: Event[]; has_more: boolean };
      events.push(...body.data);
      after = body.data.at(-1)?.id ?? after;
      if (!body.has_more) return;
    }
  });
  await world.until(() => world.users() === 0, "the feed is read", world.tasks.now());
  return events;
}

function checkRun(runSeen: RunSeen, events: readonly Event[]): void {
  const { list, record, isPausing, reached } = runSeen;
  const { isDeletionAsked, deletedAt } = list;
  const { run, steps } = record;
  const ofRun = events.filter((event) => runOf(event) === run.id);
  const own = ofRun.filter((event) => !isNotice(event));
  const name = `run ${run.runNumber} of ${run.watchlistId}`;
  if (deletedAt !== null && Date.parse(run.finishedAt ?? "") > deletedAt + skewMs) {
    assert.equal(run.watchlist, null, `${name} ended after its watchlist was deleted`);
  }
  if (run.watchlist === null) {
    assert(isDeletionAsked, `${name} has no watchlist, which no user deleted`);
    assert.deepEqual(ofRun, [], `${name}, of a deleted watchlist, has no events`);
    return;
  }
  checkHold(ofRun.filter(isNotice), { record, reached, name });
  // The watchlist was deleted while this run was held, so the run never sent its events.
  if (run.phase === "held") return assert.deepEqual(own, [], `${name} is held`);
  const entries = expectedEntries(stepsWithEvents(record));
  for (const type of ["changed", "matched", "delisted"] as const) {
    const where = `${name}, ${type}`;
    const ofType = own.filter((event) => event.type === `watchlist.product.${type}`);
    const key = type === "changed" ? "changes" : "products";
    const reported = ofType.flatMap(({ data }) => data[key] as Row[]);
    assert.deepEqual(
      reported.map((entry) => only(entry, entryFields[type])),
      entries[type],
      where,
    );
    for (const entry of reported) checkLabels(entry, runSeen, where);
    assert.equal(ofType.length, Math.ceil(entries[type].length / partItems), `${where}: parts`);
    ofType.forEach(({ data }, n) => {
      assert.equal(data["part"], n + 1, `${where}: part`);
      assert.equal(data["parts"], ofType.length, `${where}: parts`);
    });
    if (ofType.length > 1) reached("an event had a second part");
  }
  const order = own.map(({ type }) => types.indexOf(type));
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
    `${name}: order of events`,
  );
  if (new Set(order).size > 2) reached("a run had events of three types");
  checkCompleted(own, { run, steps, isPausing, name });
}

/** Returns the steps of a run that can send events: none of a skipped or discarded run. */
export const stepsWithEvents = ({ run, steps }: RunRecords): readonly StepRecords[] =>
  run.status === "insufficient_credits" || isDiscarded(run) ? [] : steps;

const isNotice = ({ type, data }: Event): boolean =>
  type === "watchlist.run.completed" && data["status"] === "held";

/**
 * Checks that a run was held if and only if too many of its items changed or were delisted, or its
 * answers had another shape. Also checks that a held run sent one `watchlist.run.completed` event
 * with the status `held` (invariants B1 and B2).
 */
function checkHold(
  notices: readonly Event[],
  { record: { run, steps }, reached, name }: Pick<RunSeen, "record" | "reached"> & { name: string },
): void {
  const outcomes = steps.flatMap(outcomesOf);
  const changed = new Set(
    outcomes
      .filter((one) => isNewChange(one) || (one.lastSnapshot ?? null) !== null)
      .map(({ id }) => id),
  );
  const unread = new Set([
    ...steps.flatMap(unreadIdsOf),
    ...outcomes
      .filter(({ status }) => ["partial", "unavailable", "deferred"].includes(status))
      .map(({ id }) => id),
  ]);
  for (const id of firstReadIn(steps)) unread.add(id);
  for (const id of changed) unread.delete(id);
  const read = run.stats.tracked - unread.size;
  const { kind, status } = run;
  const { brake } = run.limits;
  const isAbove =
    brake !== null &&
    kind !== "baseline" &&
    status !== "insufficient_credits" &&
    read >= brake.minItems &&
    changed.size * 100 > brake.maxChangedPercent * read;
  const isToHold = isAbove || isHeldForShape(run);
  assert.equal(run.hold !== undefined, isToHold, `${name}: is held`);
  assert.equal(notices.length, isToHold ? 1 : 0, `${name}: notices`);
  if (isToHold && !isAbove) reached("only the shape of its answers held a run");
  if (run.hold !== undefined) reached(`a held run was ${run.hold.status}`);
}

/** Returns the IDs of the items whose values a run observed for the first time. */
function firstReadIn(steps: readonly StepRecords[]): readonly string[] {
  const points = steps.flatMap((step) => step.points);
  const isFirst = (id: string): boolean =>
    points
      .filter((point) => point.id === id && point.status === "ok")
      .every(({ values }) => Object.values(values).every((change) => !("before" in change)));
  const unknown = steps
    .flatMap(outcomesOf)
    .filter(({ lastSnapshot }) => lastSnapshot === null)
    .map(({ id }) => id);
  const observed = points.filter(({ status }) => status === "ok").map(({ id }) => id);
  return [...unknown, ...observed.filter(isFirst)];
}

/**
 * Returns the IDs of a step's items if a credit limit deferred the step before the run had read
 * anything, so that the step has no outcomes. Returns an empty list for any other step.
 */
const unreadIdsOf = ({ step, batches }: StepRecords): readonly string[] =>
  step.shortfall?.limit !== undefined && step.done.size === 0
    ? batches.flatMap(({ ids }) => ids)
    : [];

/**
 * Checks that an entry has the label and the metadata that its item had at some time between the
 * source's answer and the record of the batch (invariant R21).
 */
function checkLabels(entry: Row, { list, record, seen, reached }: RunSeen, where: string): void {
  const id = String(entry["id"]);
  const one = record.steps.find(({ step }) => step.step === entry["step"]);
  const number = one?.batches.findIndex(({ ids }) => ids.includes(id)) ?? -1;
  assert(one !== undefined && number !== -1, `${where}: ${id} was read`);
  const { pk, sk } = watchlistKeys.result(record.run.id, { ...one.step, number });
  const key = `${pk}/${sk}`;
  const [answer] = seen.answers.get(key) ?? [];
  const to = seen.recordedAt.get(key);
  assert(answer !== undefined && to !== undefined, `${where}: the batch of ${id} was read`);
  const calls = list.labelCalls.get(id) ?? [];
  assertLabels(entry, labelsDuring(calls, { from: answer.trueTime, to }), `${where}: ${id}`);
  if (entry["label"] !== undefined) reached("an event had a label");
  if (![undefined, "set 0"].includes(entry["label"] as string | undefined))
    reached("an event had a label set later");
}

function checkCompleted(
  own: readonly Event[],
  { run, steps, isPausing, name }: Pick<RunSeen, "isPausing"> & RunRecords & { name: string },
): void {
  const completed = own.filter(({ type }) => type === "watchlist.run.completed");
  assert.equal(completed.length, 1, `${name}: number of completed events`);
  const { data = {} } = completed[0] ?? {};
  assert.equal(data["status"], run.status, name);
  assert.equal(data["credits"], run.credits, name);
  assert.equal(data["error"], run.error, name);
  const stats = data["stats"] as Row;
  if (!isDiscarded(run)) {
    assert.equal(stats["notified"], notifiedIn(own), `${name}: notified items`);
  }
  const changed = new Set(
    steps
      .flatMap(outcomesOf)
      .filter(isNewChange)
      .map(({ id }) => id),
  );
  const isSkipped = run.status === "insufficient_credits";
  assert.equal(stats["changed"], isSkipped ? 0 : changed.size, `${name}: changed items`);
  if (!isPausing) return;
  const { status, paused_reason: reason, next_run_at: next } = data["watchlist"] as Row;
  const reported = { status: "paused", reason: "insufficient_credits", next: null };
  assert.deepEqual(
    { status, reason, next },
    reported,
    `${name}: watchlist in the event of the third skip in a row`,
  );
}

const isNewChange = ({ changes, isCounted }: ItemOutcome): boolean =>
  changes !== undefined && isCounted !== true;

/** Returns the number of items in a run's changed events. */
function notifiedIn(events: readonly Event[]): number {
  const changed = events.filter(({ type }) => type === "watchlist.product.changed");
  return new Set(changed.flatMap(({ data }) => (data["changes"] as Row[]).map(({ id }) => id)))
    .size;
}

/** The event types in the order in which a run sends them (specification, section "Events"). */
const types: readonly string[] = [
  "watchlist.product.changed",
  "watchlist.product.matched",
  "watchlist.product.delisted",
  "watchlist.run.completed",
];

/** The number of items in an event part, as `small-bounds.ts` sets it. */
const partItems = 3;

const entryFields = {
  changed: ["id", "step", "changed_at", "changes", "snapshot"],
  matched: ["id", "step", "matched_at", "branch", "status", "values"],
  delisted: ["id", "step", "delisted_at", "last_snapshot"],
} as const;

const only = (row: Row, fields: readonly string[]): Row =>
  Object.fromEntries(fields.map((field) => [field, row[field]]));

/** Returns the entries that the events of a run must contain, by the kind of event. */
export function expectedEntries(
  steps: readonly StepRecords[],
): Readonly<Record<keyof typeof entryFields, readonly Row[]>> {
  const found = steps.flatMap((one) =>
    outcomesOf(one).map((outcome) => Object.assign({ step: one.step.step }, outcome)),
  );
  return {
    changed: found.flatMap(({ id, step, at, changes = {}, reportedChanges = changes, reported }) =>
      reported === undefined
        ? []
        : [{ id, step, changed_at: at, changes: reportedChanges, snapshot: reported }],
    ),
    matched: found.flatMap(({ id, step, at, status, matched }) =>
      (matched?.branches ?? []).map((branch) => ({
        id,
        step,
        matched_at: at,
        branch,
        status,
        values: matched?.values,
      })),
    ),
    delisted: found.flatMap(({ id, step, at, lastSnapshot }) =>
      lastSnapshot === undefined
        ? []
        : [{ id, step, delisted_at: at, last_snapshot: lastSnapshot }],
    ),
  };
}

/**
 * Returns true if an endpoint must receive an event (invariant D1). If the watchlist names an
 * endpoint, only this endpoint receives events; otherwise all endpoints that subscribe to the type
 * do.
 */
function isFor({ url, events }: Receiver, event: Event, named: Receiver | null): boolean {
  if (named !== null) return named.url === url;
  return events === null || events.includes(event.type);
}

/** Checks that each endpoint received exactly its events, with the bytes in the feed. */
function checkReceivers(
  { receivers }: World,
  endpoints: readonly Receiver[],
  events: readonly (readonly [event: Event, named: Receiver | null])[],
): void {
  for (const endpoint of endpoints) {
    const { url } = endpoint;
    const bodies = new Map<string, string>();
    const sent = receivers.sent.filter((one) => one.url === url);
    for (const { headers, body } of sent) {
      const id = String(headers["webhook-id"]);
      assert.equal(bodies.get(id) ?? body, body, `${id} at ${url}: the same bytes at each attempt`);
      bodies.set(id, body);
    }
    // A 410 disables the endpoint. Later events are logged as failed and not sent.
    const isDisabled = sent.some(({ status }) => status === 410);
    const meant = events
      .flatMap(([event, named]) => (isFor(endpoint, event, named) ? [event] : []))
      .filter(({ id }) => !isDisabled || bodies.has(id));
    assert.deepEqual(
      [...bodies.keys()].toSorted(),
      meant.map(({ id }) => id).toSorted(),
      `events at ${url}`,
    );
    for (const event of meant) {
      const { id } = event;
      assert.deepEqual(JSON.parse(bodies.get(id) ?? ""), event, `${id} at ${url}: as in the feed`);
    }
  }
}

/**
 * Checks that each event is one line in one object of the account's bucket, if the account has a
 * bucket.
 */
function checkBucket({ buckets, reached }: World, user: User, events: readonly Event[]): void {
  const objects = buckets.buckets.get(`bucket-of-${user.name}`);
  if (objects === undefined) return;
  reached("runs were exported to a bucket");
  const lines = new Map<string, unknown>();
  for (const [key, { bytes }] of objects) {
    if (key.endsWith("_service_check") || key.endsWith("_manifest.json")) continue;
    if (key.endsWith(".parquet")) continue;
    const text = (key.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
    for (const line of text.trimEnd().split("\n")) {
      const event = JSON.parse(line) as Event;
      assert(!lines.has(event.id), `${event.id} is in two objects`);
      lines.set(event.id, event);
    }
  }
  for (const event of events) assert.deepEqual(lines.get(event.id), event, `${event.id} exported`);
  assert.equal(lines.size, events.length, "events in the bucket");
}
