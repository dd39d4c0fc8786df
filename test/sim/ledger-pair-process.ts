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
import { dynamoCreditChanges } from "../../shared/aws/ledger/credit-changes.ts";
import { dynamoLedger } from "../../shared/aws/ledger/ledger.ts";
import { type LedgerProcess, ledgerProcess } from "../../shared/aws/ledger/process.ts";
import type { CreditChanges } from "../../shared/credits/credit-changes.ts";
import type { Ledger } from "../../shared/credits/ledger.ts";
import { watchedClient } from "../support/watched-client.ts";
import { assertAppendOnly, assertLedgerInvariants } from "./checks/ledger-invariants.ts";
import { type LedgerState, readLedgerState } from "./checks/ledger-state.ts";
import { randomSourceOf, seededRandom } from "./random.ts";
import type { Stage } from "./stage.ts";

export const start = new Date("2026-03-01T12:00:00Z");

/** A fault of one request. */
export type Fault =
  | "crash before"
  | "crash after"
  | "answer lost"
  | "throttled"
  | "conflict"
  /** The request takes effect after both steps; its sender gets a timeout at once. */
  | "late"
  /** The request takes effect without an answer, and again after both steps. */
  | "late duplicate";
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
  /** Number of the request, from 1. */
  readonly at: number;
  readonly kind: Fault;
}

interface PlannedProcess {
  /** Number of the request, from 1, before which `interleave` happens. */
  readonly stopsAt?: number;
  readonly interleave?: () => Promise<void>;
  readonly fault?: PlannedFault | undefined;
}

/** The account of a pair of steps; its ledger is checked after every write. */
export interface PairScene extends Pick<Stage, "client" | "table"> {
  readonly accountId: string;
  /** The account's balance after each write. */
  readonly balances: number[];
  /** Requests that take effect after both steps. */
  readonly later: (() => Promise<unknown>)[];
  /** Errors of the checks; they are collected because a step could catch them. */
  readonly violations: unknown[];
  /** Starts the checks. */
  watch(): Promise<void>;
  check(): Promise<void>;
}

export function pairScene(
  { client, table }: Pick<Stage, "client" | "table">,
  accountId: string,
): PairScene {
  let before: LedgerState | undefined;
  let isWatched = false;
  const scene: PairScene = {
    client,
    table,
    accountId,
    balances: [],
    later: [],
    violations: [],
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

/** A separate process, one of whose requests can have a planned fault. */
export interface PairProcess {
  readonly ledger: Ledger;
  readonly changes: CreditChanges;
  readonly process: LedgerProcess;
  readonly client: DynamoDBDocumentClient;
  /** The time of its clock. */
  readonly now: Date;
  sent(): number;
  /** Returns the lowest balance since its step began. */
  readonly leastBalance: () => number;
  /** Starts a step: resets the request count and applies the plan. */
  begin(plan: PlannedProcess): void;
  /** Waits for requests that no step awaits. */
  idle(): Promise<void>;
}

export function pairProcess(scene: PairScene, now = start): PairProcess {
  let planned: PlannedProcess = {};
  let [sent, begunAt] = [0, 0];
  let isDead = false;
  const underWay = new Set<Promise<unknown>>();
  const effect = async (command: unknown, send: Send): Promise<unknown> => {
    const answer = await send();
    if (isWrite(command)) await scene.check();
    return answer;
  };
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
        // A result can lead to another request.
        await new Promise(setImmediate);
      }
    },
  };
}

/** Sends one request per row, because DynamoDB reads the rows of a batch at different times. */
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

/** Names of errors that the planned faults raise in the caller of a step. */
export const plannedErrors = new Set(["Crash", "TimeoutError", "ThrottlingException"]);
