import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { dueKeys, latestDueTime } from "../../shared/aws/table/due-keys.ts";
import { dynamoRunStore } from "../../shared/aws/runs/run-store.ts";
import { dynamoStepStore } from "../../shared/aws/runs/step-store.ts";
import type { RowKey } from "../../shared/aws/table/table.ts";
import type { Clock } from "../../shared/base/clock.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import type { Run, RunRef } from "../../shared/runs/run.ts";
import type { StepRecord } from "../../shared/runs/step.ts";
import type { Log } from "./log.ts";

/** The output of lines about the progress of runs. */
export interface RunProgress {
  /** Stops printing, and waits for the poll in progress. */
  stop(): Promise<void>;
}

/** Milliseconds between two polls. A run that ends within this time may print no line. */
const pollMilliseconds = 1_000;
/**
 * The largest number of new runs that one poll finds. Each found run is then polled until it ends.
 */
const discoveriesMax = 20;

/**
 * Starts to print a line once a second for each watchlist run that progressed or ended. Only reads
 * from the table, and does not keep the process running.
 */
export function startRunProgress(table: string, log: Log): RunProgress {
  const lines = progressLines(documentClient(), { table, clock: systemClock });
  let polling: Promise<void> | undefined;
  const pollOnce = async (): Promise<void> => {
    try {
      for (const line of await lines()) log(line);
    } catch {
      // Ignores errors, because the next poll reads the same state again.
    } finally {
      polling = undefined;
    }
  };
  const timer = setInterval(() => {
    polling ??= pollOnce();
  }, pollMilliseconds);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await polling;
    },
  };
}

interface Followed {
  readonly ref: RunRef;
  /** The last line that was printed about the run. */
  line?: string;
  /** True if the run has ended or its row does not exist: the poll no longer reads it. */
  over: boolean;
}

interface PolledRun {
  readonly followed: Followed;
  readonly run: Run | undefined;
  readonly steps: readonly StepRecord[];
}

/**
 * Creates a function that reads the state of the runs once. It returns one line for each run that
 * progressed or ended since the previous call.
 */
export function progressLines(
  client: DynamoDBDocumentClient,
  { table, clock }: { readonly table: string; readonly clock: Clock },
): () => Promise<readonly string[]> {
  const options = { table, clock, random: systemRandom };
  const runs = dynamoRunStore(client, options);
  const steps = dynamoStepStore(client, options);
  const following = new Map<string, Followed>();

  const poll = async (followed: Followed): Promise<PolledRun> => {
    const run = await runs.get(followed.ref);
    const isReading = run?.phase === "reading";
    return { followed, run, steps: isReading ? await steps.list(run.id) : [] };
  };

  return async () => {
    const query = { kind: "run", by: latestDueTime, limit: discoveriesMax } as const;
    const newestRuns = new Map(
      (await dueKeys(client, table, query)).map((key) => [`${key.pk} ${key.sk}`, key]),
    );
    for (const [name, key] of newestRuns) {
      if (!following.has(name)) following.set(name, { ref: refOf(key), over: false });
    }
    for (const [name, { over }] of following) {
      if (over && !newestRuns.has(name)) following.delete(name);
    }
    const open = [...following.values()].filter(({ over }) => !over);
    const now = clock.now();
    return (await Promise.all(open.map(poll))).flatMap((polled) => newLine(polled, now) ?? []);
  };
}

/**
 * Returns the reference of a run: its watchlist and number, and an empty account ID.
 */
const refOf = ({ pk, sk }: RowKey): RunRef => ({
  accountId: "",
  watchlistId: pk.slice(pk.indexOf("#") + 1),
  runNumber: Number(sk.slice(sk.indexOf("#") + 1)),
});

/** Returns the line about a run; undefined if there is nothing new to print. */
function newLine({ followed, run, steps }: PolledRun, now: Date): string | undefined {
  if (run === undefined) {
    followed.over = true;
    return undefined;
  }
  const { startedAt, finishedAt } = run;
  followed.over = finishedAt !== null;
  const until = finishedAt === null ? now : new Date(finishedAt);
  const elapsed = until.getTime() - new Date(startedAt).getTime();
  const words = finishedAt === null ? stateOf(run, steps) : endOf(run, elapsed);
  if (words === undefined || (elapsed < pollMilliseconds && followed.line === undefined)) {
    return undefined;
  }
  const line = ["run", `${run.watchlistId} #${run.runNumber} ${run.kind}`, words].join("  ");
  if (line === followed.line) return undefined;
  followed.line = line;
  return line;
}

/** Describes the current work of an unfinished run; undefined between two steps. */
function stateOf(run: Run, steps: readonly StepRecord[]): string | undefined {
  if (run.phase === "claimed") return "starting";
  if (run.phase !== "reading") return "finishing";
  const current = steps.find(({ stats, decision }) => stats === null && decision === "read");
  if (current === undefined) return undefined;
  // Assumes batches of equal size, although the last one may be smaller.
  const done = Math.floor((current.items * current.done.size) / current.batches);
  return `${current.step}  ${groupDigits(done)} of ${groupDigits(current.items)} ${current.items === 1 ? "item" : "items"}`;
}

function endOf(run: Run, elapsed: number): string {
  const seconds = (elapsed / 1_000).toFixed(1);
  const reason = run.error === null ? "" : `: ${run.error}`;
  return `${run.status} in ${seconds} s, ${groupDigits(run.credits)} ${run.credits === 1 ? "credit" : "credits"}${reason}`;
}

const groupDigits = (n: number): string => n.toLocaleString("en-US");
