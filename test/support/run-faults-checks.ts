import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { expect } from "vitest";
import { accountKeys } from "../../shared/aws/table.ts";
import type { Row } from "../../shared/aws/dynamo.ts";
import { creditsFor } from "../../shared/credits/charge.ts";
import { readingKind, runOrder, stepOf } from "../../shared/pipelines/definition.ts";
import { applyOutcome } from "../../shared/runs/apply-outcome.ts";
import type { ItemOutcome } from "../../shared/runs/run.ts";
import { type Item, newItem } from "../../shared/watchlists/item.ts";
import { addCounts } from "../../shared/watchlists/page.ts";
import { noItems } from "../../shared/watchlists/watchlist.ts";
import type { World } from "./run-faults-play.ts";
import type { RunRecords, StepRecords } from "./run-faults-records.ts";

/** Everything that has to hold of a list, its runs, its events and its account once all is quiet. */
export async function checkEverything(world: World): Promise<void> {
  if (world.unexpected.length > 0) {
    throw new Error(`Failures that no fault explains:\n${world.unexpected.join("\n")}`);
  }
  const records = await world.records();
  checkRuns(records);
  checkSteps(records);
  await checkBooks(world, records);
  checkEvents(world, records);
  if ((await world.current()) === undefined) await checkNothingLeft(world);
  else await checkList(world, records);
}

function checkRuns(records: readonly RunRecords[]): void {
  expect(records.map(({ run }) => run.runNumber)).toEqual(records.map((_, n) => n + 1));
  expect(new Set(records.map(({ run }) => run.id)).size).toBe(records.length);
  for (const { run } of records) {
    expect(run).toMatchObject({ phase: "done", finishedAt: expect.any(String) });
    expect(run.status === "failed", `run ${run.runNumber}`).toBe(run.error !== null);
    expect(["completed", "insufficient_credits", "failed"]).toContain(run.status);
  }
}

const outcomesOf = ({ batches }: StepRecords): readonly ItemOutcome[] =>
  batches.flatMap(({ result }) => result?.outcomes ?? []);

/** Every batch is stored, of a step that was begun; none reads an item twice. */
function checkSteps(records: readonly RunRecords[]): void {
  for (const { run, steps } of records) {
    for (const one of steps) {
      const { step, batches } = one;
      const ids = batches.flatMap((batch) => batch.ids);
      const where = `run ${run.runNumber}, step ${step.step}`;
      expect(new Set(ids).size, where).toBe(ids.length);
      expect(ids.length, where).toBe(step.items);
      const found = outcomesOf(one).map(({ id }) => id);
      expect(new Set(found).size, where).toBe(found.length);
      expect(ids, where).toEqual(expect.arrayContaining(found));
      if (run.status === "insufficient_credits" || step.decision === null) {
        expect(found, where).toEqual([]);
        continue;
      }
      expect(step.stats, where).not.toBeNull();
      expect(step.done.size, where).toBe(step.batches);
      expect(
        batches.every(({ result }) => result !== undefined),
        where,
      ).toBe(true);
    }
  }
}

async function rowsBelow({ client, table }: World, pk: string, prefix = ""): Promise<Row[]> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: table,
      KeyConditionExpression: prefix === "" ? "pk = :pk" : "pk = :pk AND begins_with(sk, :prefix)",
      ExpressionAttributeValues: { ":pk": pk, ...(prefix !== "" && { ":prefix": prefix }) },
      ConsistentRead: true,
    }),
  );
  return Items;
}

/** Hours after which nobody keeps a hold any more. */
const holdHours = 25;

async function checkBooks(world: World, records: readonly RunRecords[]): Promise<void> {
  const { pk } = accountKeys.account(world.list.accountId);
  const later = new Date(world.turns.now() + holdHours * 3_600_000);
  await checkOpenHolds(world, records, pk);
  await world.raw.ledger.releaseExpired(world.list.accountId, later);
  const rows = await rowsBelow(world, pk);
  const account = rows.find(({ sk }) => sk === "account") ?? {};
  const entries = rows.filter(({ sk }) => String(sk).startsWith("entry#"));
  expect(account).toMatchObject({ held: 0, in_flight: 0, sequence: entries.length });
  const sum = (...types: readonly string[]): number =>
    entries
      .filter(({ type }) => types.includes(String(type)))
      .reduce((total, entry) => total + Number(entry["credits"]), 0);
  const given = entries
    .filter(({ type }) => ["grant", "purchase", "adjust"].includes(String(type)))
    .reduce(
      (total, row) => total + Number(row["balance_after"]) - Number(row["balance_before"]),
      0,
    );
  expect(Number(account["balance"]) + Number(account["spent"])).toBe(given);
  expect(sum("charge")).toBe(account["spent"]);
  expect(sum("reserve")).toBe(sum("charge") + sum("refund"));
  for (const { run, steps } of records) {
    const own = entries.filter((entry) => entry["run_id"] === run.id);
    const charges = steps.map((step) => checkCharge(`run ${run.runNumber}`, step, own));
    expect(run.credits, `run ${run.runNumber}`).toBe(
      charges.reduce((total, one) => total + one, 0),
    );
  }
  const known = new Set(records.map(({ run }) => run.id));
  for (const { run_id: runId } of entries) if (runId !== undefined) expect(known).toContain(runId);
}

/** A step is reserved once at most and settled once; gives what it costs by what it recorded. */
function checkCharge(run: string, { step, batches }: StepRecords, entries: readonly Row[]): number {
  const where = `${run}, step ${step.step}`;
  const quarters = batches.reduce((sum, { result }) => sum + (result?.counts.quarters ?? 0), 0);
  const charged = step.decision === "read" ? creditsFor(quarters) : 0;
  const creditsOf = (type: string): number[] =>
    entries
      .filter((entry) => entry["step"] === step.step && entry["type"] === type)
      .map((entry) => Number(entry["credits"]));
  const reserved = creditsOf("reserve");
  expect(reserved.length, where).toBeLessThanOrEqual(1);
  if (step.decision === "read") expect(reserved.length, where).toBe(1);
  const refund = (reserved[0] ?? 0) - charged;
  const isNothing = reserved[0] === 0;
  expect(creditsOf("charge"), where).toEqual(charged > 0 || isNothing ? [charged] : []);
  expect(creditsOf("refund"), where).toEqual(refund > 0 ? [refund] : []);
  if (step.stats !== null) expect(step.stats.credits, where).toBe(charged);
  return charged;
}

/** A step that is read gives its hold back at its end, whatever happens. */
async function checkOpenHolds(
  world: World,
  records: readonly RunRecords[],
  pk: string,
): Promise<void> {
  const holds = await rowsBelow(world, pk, "hold#");
  for (const hold of holds.filter(({ state }) => state === "open")) {
    const steps = records.find(({ run }) => run.id === hold["run_id"])?.steps ?? [];
    const step = steps.find((one) => one.step.step === hold["step"])?.step;
    world.turns.note(`open hold ${String(hold["hold_id"])} of ${step?.decision}`);
    expect(step?.decision, `open hold of step ${String(hold["step"])}`).not.toBe("read");
  }
}

interface Body {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function checkEvents(world: World, records: readonly RunRecords[]): void {
  const bodies = [...world.published.values()].map(({ body }) => JSON.parse(body) as Body);
  const runOf = ({ data }: Body): unknown => data["run_id"] ?? data["id"];
  for (const { run, steps } of records) {
    const own = bodies.filter((body) => runOf(body) === run.id);
    const { deletedAt } = world.deeds;
    if (deletedAt !== null && String(run.finishedAt) > deletedAt) expect(run.watchlist).toBeNull();
    if (run.watchlist === null) {
      expect(world.deeds.isDeletionAsked).toBe(true);
      expect(own, `run ${run.runNumber} of a deleted list`).toEqual([]);
      continue;
    }
    const found = run.status === "insufficient_credits" ? [] : steps;
    const entries = expectedEntries(found);
    for (const type of ["changed", "matched", "delisted"] as const) {
      const where = `run ${run.runNumber}, ${type}`;
      const said = own.filter((body) => body.type === `watchlist.product.${type}`);
      const key = type === "changed" ? "changes" : "products";
      const told = said.flatMap(({ data }) => data[key] as Row[]);
      expect(
        told.map((entry) => only(entry, entryFields[type])),
        where,
      ).toEqual(entries[type]);
      expect(said.length, where).toBe(entries[type].length > 0 ? 1 : 0);
    }
    const completed = own.filter(({ type }) => type === "watchlist.run.completed");
    expect(completed, `run ${run.runNumber}`).toHaveLength(1);
    expect(completed[0]?.data).toMatchObject({
      status: run.status,
      credits: run.credits,
      run_number: run.runNumber,
      events: Object.fromEntries(own.map(({ type }) => [type, 1])),
    });
  }
  const known = records.map(({ run }) => run.id);
  for (const body of bodies) expect(known).toContain(runOf(body));
}

const entryFields = {
  changed: ["id", "step", "changed_at", "changes", "snapshot"],
  matched: ["id", "step", "matched_at", "branch", "status", "values"],
  delisted: ["id", "step", "delisted_at", "last_snapshot"],
} as const;

const only = (row: Row, fields: readonly string[]): Row =>
  Object.fromEntries(fields.map((field) => [field, row[field]]));

function expectedEntries(
  steps: readonly StepRecords[],
): Readonly<Record<keyof typeof entryFields, readonly Row[]>> {
  const found = steps.flatMap((one) =>
    outcomesOf(one).map((outcome) => Object.assign({ step: one.step.step }, outcome)),
  );
  return {
    changed: found.flatMap(({ id, step, at, changes = {}, reported }) =>
      reported === undefined ? [] : [{ id, step, changed_at: at, changes, snapshot: reported }],
    ),
    matched: found.flatMap(({ id, step, at, status, matched }) =>
      (matched?.branches ?? []).map((branch) =>
        Object.assign({ id, step, matched_at: at, branch, status, values: matched?.values }),
      ),
    ),
    delisted: found.flatMap(({ id, step, at, lastSnapshot }) =>
      lastSnapshot === undefined
        ? []
        : [{ id, step, delisted_at: at, last_snapshot: lastSnapshot }],
    ),
  };
}

async function checkList(world: World, records: readonly RunRecords[]): Promise<void> {
  const list = await world.current();
  const last = records.at(-1)?.run;
  expect(list).toMatchObject({
    runningRun: null,
    runCount: records.length,
    lastRunStatus: last?.status ?? null,
  });
  const pages = await Array.fromAsync(world.raw.pages.pages(world.list.id));
  expect(list?.itemCounts).toEqual(
    pages.reduce((counts, page) => addCounts(counts, page.counts), noItems),
  );
  const items = pages.flatMap((page) => page.items);
  const { touched, isThere } = world.deeds;
  const ids = new Set(items.map(({ id }) => id));
  expect(ids.size).toBe(items.length);
  for (const id of world.ids.ids) if (!touched.has(id)) expect(ids).toContain(id);
  for (const [id, there] of isThere) {
    if (there !== undefined) expect(ids.has(id), `${id} is on the list`).toBe(there);
  }
  for (const item of items) checkItem(item, records, touched.has(item.id));
}

/** The item is what its recorded outcomes make of it, one after the other. */
function checkItem(item: Item, records: readonly RunRecords[], isTouched: boolean): void {
  let made = newItem(item.id, item.addedAt);
  let delistings = 0;
  for (const { run, steps } of records) {
    for (const one of steps) {
      const { step } = one;
      const outcome = outcomesOf(one).find(
        ({ id, addedAt }) => id === item.id && addedAt === item.addedAt,
      );
      if (outcome === undefined) continue;
      const where = `${item.id} in run ${run.runNumber}, step ${step.step}`;
      const kind = readingKind(stepOf(run.pipeline, step.step));
      for (const [field, change] of Object.entries(outcome.changes ?? {})) {
        expect(change.before, `${where}: ${field} before`).toEqual(made.readings[kind]?.[field]);
        expect(change.after, `${where}: ${field} after`).toEqual(outcome.readings?.[kind]?.[field]);
      }
      if (outcome.lastSnapshot !== undefined) delistings += 1;
      const { runNumber, id: runId } = run;
      const { position, scraper } = step;
      made = applyOutcome(made, outcome, { runId, runNumber, step: step.step, position, scraper });
    }
    made = withMissedSteps(made, { run, steps });
  }
  expect(delistings, item.id).toBe(made.state === "delisted" ? 1 : 0);
  // An item that was added again while it was delisted remembers how far it was.
  expect(isTouched ? { ...item, revision: made.revision } : item).toEqual(made);
}

/** A run that was given up owes its items the steps that it sent them to and did not come to. */
function withMissedSteps(item: Item, { run, steps }: RunRecords): Item {
  if (run.status !== "failed") return item;
  const sent = steps.flatMap(outcomesOf).filter(({ id }) => id === item.id);
  const come = new Set(steps.flatMap(({ step }) => (step.stats === null ? [] : [step.step])));
  let made = item;
  for (const [position, { id: step, scraper }] of runOrder(run.pipeline).entries()) {
    const by = sent.find(
      ({ addedAt, next = [] }) => addedAt === item.addedAt && next.includes(step),
    );
    if (by === undefined || come.has(step)) continue;
    const { id: runId, runNumber } = run;
    const missed = { id: item.id, addedAt: item.addedAt, status: "deferred", at: by.at } as const;
    made = applyOutcome(made, missed, { runId, runNumber, step, position, scraper });
  }
  return made;
}

/** Only rows that expire by themselves are left of a deleted list. */
async function checkNothingLeft(world: World): Promise<void> {
  expect(world.deeds.isDeletionAsked).toBe(true);
  const left = await rowsBelow(world, `watchlist#${world.list.id}`);
  expect(left.map(({ sk }) => sk)).toEqual([]);
}
