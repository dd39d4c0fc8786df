import {
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { dynamoCreditChanges } from "../../tools/credits/dynamo-credit-changes.ts";
import { dynamoLedger } from "../../shared/aws/ledger/ledger.ts";
import { type LedgerProcess, ledgerProcess } from "../../shared/aws/ledger/process.ts";
import type { CreditChanges } from "../../tools/credits/credit-changes.ts";
import type { Ledger } from "../../shared/credits/ledger.ts";
import { watchedClient } from "../support/watched-client.ts";
import { assertAppendOnly, assertLedgerInvariants } from "./checks/ledger-invariants.ts";
import { type LedgerState, readLedgerState } from "./checks/ledger-state.ts";
import { randomSourceOf, seededRandom } from "./random.ts";
import type { Stage } from "./stage.ts";

/**
 * The time at which the account of a pair is opened. It is also the usual time of a process's
 * clock.
 */
export const start = new Date("2026-03-01T12:00:00Z");

/** A fault of one request. */
export type Fault =
  | "crash before"
  | "crash after"
  | "answer lost"
  | "throttled"
  | "conflict"
  /** The sender gets a timeout immediately, and the request takes effect after both steps. */
  | "late"
  /**
   * The request takes effect, but the sender gets a timeout. After both steps, the request takes
   * effect again.
   */
  | "late duplicate";
/** All faults of a request. */
export const faults: readonly Fault[] = [
  "crash before",
  "crash after",
  "answer lost",
  "throttled",
  "conflict",
  "late",
  "late duplicate",
];

export interface PlannedFault {
  /** The position of the request within the step, from 1. */
  readonly at: number;
  readonly kind: Fault;
}

interface PlannedProcess {
  /** The position of the request before which `interleave` is called, from 1. */
  readonly stopsAt?: number;
  readonly interleave?: () => Promise<void>;
  readonly fault?: PlannedFault | undefined;
}

/** The account of a pair of steps. Its ledger is checked after each write. */
export interface PairScene extends Pick<Stage, "client" | "table"> {
  readonly accountId: string;
  /** The balance of the account after each write. */
  readonly balances: number[];
  /** The requests that take effect after both steps. */
  readonly later: (() => Promise<unknown>)[];
  /**
   * The errors of the checks. They are collected and thrown later, because a step could catch them.
   */
  readonly violations: unknown[];
  /**
   * Runs a request with its check, and returns the result. The next request of either process waits
   * for the end of the check. Otherwise a check could read one shard before a transfer and another
   * shard after it.
   */
  oneByOne<T>(work: () => Promise<T>): Promise<T>;
  /** Starts to check the ledger after each write. */
  watch(): Promise<void>;
  check(): Promise<void>;
}

/**
 * Creates the scene of a pair of ledger steps on an existing account. The checks start when `watch`
 * is called.
 */
export function pairScene(
  { client, table }: Pick<Stage, "client" | "table">,
  accountId: string,
): PairScene {
  let before: LedgerState | undefined;
  let isWatched = false;
  let last: Promise<unknown> = Promise.resolve();
  const scene: PairScene = {
    client,
    table,
    accountId,
    balances: [],
    later: [],
    violations: [],
    oneByOne(work) {
      const result = last.then(work);
      last = result.catch(() => {});
      return result;
    },
    async watch() {
      isWatched = true;
      await scene.check();
    },
    async check() {
      if (!isWatched) return;
      try {
        const ledger = await readLedgerState({ client, table }, accountId);
        assertLedgerInvariants(ledger);
        assertAppendOnly(before ?? ledger, ledger);
        before = ledger;
        scene.balances.push(ledger.balance);
      } catch (error) {
        scene.violations.push(error);
      }
    },
  };
  return scene;
}

const named = (name: string): Error => Object.assign(new Error(name), { name });
const conflictOf = (command: unknown): Error | undefined => {
  const options = { message: "conflict", $metadata: {} };
  if (command instanceof UpdateCommand) return new TransactionConflictException(options);
  if (!(command instanceof TransactWriteCommand)) return undefined;
  const reasons = [{ Code: "TransactionConflict" }];
  return new TransactionCanceledException({ ...options, CancellationReasons: reasons });
};

const isWrite = (command: unknown): boolean =>
  command instanceof UpdateCommand || command instanceof TransactWriteCommand;

type Send = () => Promise<unknown>;

/** A process that runs a step. One of its requests can have a planned fault. */
export interface PairProcess {
  readonly ledger: Ledger;
  readonly changes: CreditChanges;
  readonly process: LedgerProcess;
  readonly client: DynamoDBDocumentClient;
  /** The time of the process's clock. */
  readonly now: Date;
  /** Returns the number of requests since the last `begin`. */
  sent(): number;
  /** Returns the lowest balance of the account since the process's step started. */
  readonly leastBalance: () => number;
  /**
   * Prepares the next step: sets the plan of the step, and counts the requests of the process from
   * 1 again.
   */
  begin(plan: PlannedProcess): void;
  /** Waits for the requests that the step did not await. */
  idle(): Promise<void>;
}

/** Creates a process whose clock is fixed at `now`. */
export function pairProcess(scene: PairScene, now = start): PairProcess {
  let planned: PlannedProcess = {};
  let [sent, begunAt] = [0, 0];
  let isDead = false;
  const underWay = new Set<Promise<unknown>>();
  const effect = (command: unknown, send: Send): Promise<unknown> =>
    scene.oneByOne(async () => {
      const answer = await send();
      if (isWrite(command)) await scene.check();
      return answer;
    });
  const request = async (command: unknown, send: Send): Promise<unknown> => {
    if (isDead) throw named("Crash");
    const { stopsAt, interleave, fault } = planned;
    sent += 1;
    const isFaulty = sent === fault?.at;
    if (sent === stopsAt) await interleave?.();
    if (!isFaulty) return effect(command, send);
    isDead = fault.kind.startsWith("crash");
    return underFault(fault.kind, command, () => effect(command, send));
  };
  const underFault = async (kind: Fault, command: unknown, send: Send): Promise<unknown> => {
    if (kind === "crash before") throw named("Crash");
    if (kind === "throttled") throw named("ThrottlingException");
    const conflict = kind === "conflict" ? conflictOf(command) : undefined;
    if (conflict !== undefined) throw conflict;
    if (kind.startsWith("late") && isWrite(command)) scene.later.push(send);
    if (kind === "late") throw named("TimeoutError");
    const answer = await send();
    if (kind === "crash after") throw named("Crash");
    if (kind === "answer lost" || kind === "late duplicate") throw named("TimeoutError");
    return answer;
  };
  const noted = (work: Promise<unknown>): Promise<unknown> => {
    underWay.add(work);
    const done = (): void => void underWay.delete(work);
    work.then(done, done);
    return work;
  };
  const client = watchedClient(scene.client, (command, send) =>
    noted(
      command instanceof BatchGetCommand
        ? inParts(command.input, (part) => request(part, () => scene.client.send(part)))
        : request(command, send),
    ),
  );
  const options = {
    accountsTable: scene.table,
    ledgerTable: scene.table,
    clock: { now: () => now, sleep: async () => {} },
    random: randomSourceOf(seededRandom(1, "ledger")),
  };
  return {
    ledger: dynamoLedger(client, options),
    changes: dynamoCreditChanges(client, options),
    process: ledgerProcess(client, options),
    client,
    now,
    sent: () => sent,
    leastBalance: () => Math.min(...scene.balances.slice(begunAt)),
    begin(plan) {
      planned = plan;
      sent = 0;
      begunAt = scene.balances.length - 1;
    },
    async idle() {
      while (underWay.size > 0) {
        await Promise.allSettled(underWay);
        // The code that gets the result may send another request before this promise resolves.
        await new Promise(setImmediate);
      }
    },
  };
}

/**
 * Sends a separate request for each row of a batch, because DynamoDB reads the rows of a batch at
 * different times.
 */
async function inParts(
  { RequestItems = {} }: BatchGetCommandInput,
  send: (part: BatchGetCommand) => Promise<unknown>,
): Promise<unknown> {
  const Responses: Record<string, unknown[]> = {};
  for (const [table, { Keys = [], ...how }] of Object.entries(RequestItems)) {
    const rows: unknown[] = [];
    for (const key of Keys) {
      const part = new BatchGetCommand({ RequestItems: { [table]: { ...how, Keys: [key] } } });
      const answer = (await send(part)) as BatchGetCommandOutput;
      rows.push(...(answer.Responses?.[table] ?? []));
    }
    Responses[table] = rows;
  }
  return { Responses, $metadata: {} };
}

/** The names of the errors with which a planned fault may end a step. */
export const plannedErrors = new Set(["Crash", "TimeoutError", "ThrottlingException"]);
