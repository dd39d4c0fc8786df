import {
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import { expect, it } from "vitest";
import { contention, type Flight } from "./contention.ts";
import { profileOf } from "./play.ts";
import { seededRandom } from "./random.ts";
import type { Attempt } from "./attempt.ts";
import type { Task } from "./task-scheduler.ts";

const key = (pk: string) => ({ pk: { S: pk }, sk: { S: "shard" } });
const taskOf = (state: Task["state"] = "working"): Task => ({ name: "task", startedAt: 0, state });

const attemptOf = (operation: string, input: Attempt["input"], task: Task = taskOf()): Attempt => ({
  service: "dynamo",
  operation,
  input,
  site: "here",
  isAgain: false,
  task,
});
const update = (pk: string, task?: Task): Attempt =>
  attemptOf("UpdateItem", { TableName: "table", Key: key(pk) }, task);
const transaction = (...pks: readonly string[]): Attempt =>
  attemptOf("TransactWriteItems", {
    TransactItems: pks.map((pk) => ({ Update: { TableName: "table", Key: key(pk) } })),
  });

const opened = () => contention(seededRandom(1, "contention"));

function refusalOf(arrive: () => Flight): unknown {
  try {
    arrive();
    return undefined;
  } catch (error) {
    return error;
  }
}

it("the simulation cancels a transaction that overlaps another write, and returns the conflicting items", () => {
  const writes = opened();
  writes.arrive(transaction("a", "b"));
  writes.arrive(update("c"));

  const refusal = refusalOf(() => writes.arrive(transaction("b", "free", "c")));

  expect(refusal).toBeInstanceOf(TransactionCanceledException);
  expect((refusal as TransactionCanceledException).CancellationReasons).toEqual([
    { Code: "TransactionConflict" },
    { Code: "None" },
    { Code: "TransactionConflict" },
  ]);
});

it("the simulation refuses a plain write to an item that an unfinished transaction locks", () => {
  const writes = opened();
  const flight = writes.arrive(transaction("a", "b"));

  expect(refusalOf(() => writes.arrive(update("b")))).toBeInstanceOf(TransactionConflictException);
  expect(Object.fromEntries(writes.overlaps)).toEqual({
    "plain write refused by a transaction": 1,
  });
  flight.end();
  expect(writes.arrive(update("b")).isNext()).toBe(true);
});

it("the simulation executes plain writes to one item in order of arrival", () => {
  const writes = opened();
  const flights = [update("a"), update("a"), update("a"), update("b")].map((one) =>
    writes.arrive(one),
  );
  const next = (): boolean[] => flights.map((flight) => flight.isNext());

  expect(next()).toEqual([true, false, false, true]);
  flights[0]?.end();
  expect(next()).toEqual([false, true, false, true]);
  expect(Object.fromEntries(writes.overlaps)).toEqual({
    "plain write queued behind a plain write": 2,
  });
});

it("the simulation does not let the unfinished write of a crashed process delay another write", () => {
  const writes = opened();
  const task = taskOf();
  writes.arrive(update("a", task));
  const waiting = writes.arrive(update("a"));
  task.state = "dead";

  expect(waiting.isNext()).toBe(true);
  waiting.end();
  expect(refusalOf(() => writes.arrive(transaction("a")))).toBeUndefined();
});

it('the simulation of the scenario "calls" models contention in 1 of 5 seeds up to seed 300, and in 1 of 25 later seeds', () => {
  const contended = (scenario: string, first: number, last: number): number =>
    Array.from({ length: last - first + 1 }, (_, n) => first + n).filter(
      (seed) => profileOf(scenario, seed) === "contention",
    ).length;

  expect(contended("calls", 1, 300)).toBe(60);
  expect(contended("calls", 301, 800)).toBe(20);
  expect(contended("runs", 1, 300)).toBe(0);
});
