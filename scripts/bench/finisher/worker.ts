/** Finishes the run of the bench in a separate process, to measure the peak memory of this work. */
import { createHash } from "node:crypto";
import { dynamoHistoryStore } from "../../../shared/aws/history/history-store.ts";
import { dynamoStepStore } from "../../../shared/aws/runs/step-store.ts";
import { documentClient } from "../../../shared/aws/table/dynamo.ts";
import { systemClock, systemRandom } from "../../../shared/base/system.ts";
import { runEventPublisher } from "../../../shared/publishing/publish-run.ts";
import { type FinishDependencies, finishRun } from "../../../shared/runs/finish-run.ts";
import type { Run } from "../../../shared/runs/run.ts";
import { cpuTimer } from "../../measure/cpu-timer.ts";
import { doTasks } from "../do-tasks.ts";
import { type RunSize, runWith } from "./load.ts";

/** The work that the bench sends to the process. */
export interface FinisherTask {
  readonly table: string;
  readonly size: RunSize;
  /** `read`: only read the results. `finish`: finish the run. */
  readonly work: "read" | "finish";
}

/** The used memory and CPU time, and the number, size and hash of the created events. */
export interface FinisherMetrics {
  readonly peakMegabytes: number;
  readonly cpuMs: number;
  readonly events: number;
  readonly bytes: number;
  readonly sha256: string;
}

const clock = { ...systemClock, now: () => new Date("2026-11-20T10:05:00.000Z") };

const unused = (): never => {
  throw new Error(
    "The finisher called a dependency that this bench does not provide. Add it to scripts/bench/finisher/worker.ts.",
  );
};

doTasks(async ({ table, size, work }: FinisherTask): Promise<FinisherMetrics> => {
  const spentMs = cpuTimer();
  const options = { table, clock, random: systemRandom };
  const store = dynamoStepStore(documentClient(), options);
  const digest = createHash("sha256");
  let run: Run = runWith(size);
  let bytes = 0;
  let events = 0;
  const dependencies: FinishDependencies = {
    steps: store,
    history: dynamoHistoryStore(documentClient(), options),
    runs: {
      get: () => Promise.resolve(run),
      list: () => Promise.resolve({ runs: [run], hasMore: false }),
      finish: (ended) => {
        run = ended;
        return Promise.resolve("finished");
      },
      markEmitted: () => Promise.resolve(),
      forget: () => Promise.resolve(),
    } as Partial<FinishDependencies["runs"]> as FinishDependencies["runs"],
    watchlists: {
      get: () =>
        Promise.resolve({
          ...run.watchlist,
          accountId: run.accountId,
          runningRun: run.runNumber,
          consecutiveSkips: 0,
          refreshDue: false,
          webhookEndpointId: null,
          webhookUrl: null,
          revision: 1,
        } as never),
    },
    publisher: runEventPublisher({
      endpoints: { list: () => Promise.resolve([]) },
      destinations: { get: () => Promise.resolve(null) },
      bodies: {
        put(key, object) {
          bytes += object.length;
          digest.update(key).update(object);
          return Promise.resolve();
        },
        get: unused,
      },
      publications: {
        position: () => Promise.resolve({ sequence: 0, appendedAt: "" }),
        add: () => Promise.resolve(),
      },
      queue: { send: () => Promise.resolve() },
      hasBus: false,
    }),
    endpoints: { list: () => Promise.resolve([]), deletions: () => Promise.resolve(new Map()) },
    pages: { pages: unused, replace: unused, replaceItems: unused },
    clock,
    random: systemRandom,
  };
  if (work === "finish") await finishRun(run, dependencies);
  else {
    for (const step of await store.list(run.id)) {
      for await (const result of store.effectiveResults(step)) events += result.outcomes.length;
    }
  }
  const peakMegabytes = process.resourceUsage().maxRSS / 1_024;
  return { peakMegabytes, cpuMs: spentMs(), events, bytes, sha256: digest.digest("hex") };
});
