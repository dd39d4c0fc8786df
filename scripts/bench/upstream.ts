import { fork } from "node:child_process";
import { once } from "node:events";
import { startUpstreamServer } from "../../tools/sources/upstream/server.ts";
import { printTable } from "../measure/print-table.ts";
import type { UpstreamFigures, UpstreamTask } from "./upstream-task.ts";

const ids = 2_000;
/** Each of these answers with 429 and `Retry-After: 1`: 2 %. */
const turnedAwayEvery = 50;
const medianMs = 500;
/** How far latencies spread: with it, one in twenty takes longer than 0.9 s. */
const latencySpread = 0.35;
const aims = { wallSeconds: 30, peakMegabytes: 512 };

/** The most that a server can ask of the adapter, and what an ordinary one does. */
const cases: Readonly<Record<string, Omit<UpstreamTask, "baseUrl" | "ids">>> = {
  "100 ids a call, 8 calls at once": { batchIdsMax: 100, callsAtOnce: 8, callsPerSecond: 20 },
  "10 ids a call, 32 calls at once": { batchIdsMax: 10, callsAtOnce: 32, callsPerSecond: 100 },
  "1 id a call, 64 calls at once": { batchIdsMax: 1, callsAtOnce: 64, callsPerSecond: 200 },
};

/** Reads 2,000 items from a server that is slow and sometimes busy, in a process of its own. */
export async function benchUpstream(): Promise<Record<string, unknown>> {
  const rows: object[] = [];
  for (const [name, one] of Object.entries(cases)) rows.push(rowOf(name, await measure(one)));
  return { reads: rows, aims: { ids, ...aims } };
}

export function printUpstream(figures: Record<string, unknown>): void {
  printTable(
    `${ids} ids from a server of ${medianMs} ms median latency that turns every ${turnedAwayEvery}th try away`,
    figures["reads"] as object[],
  );
  printTable("Aims", [figures["aims"] as object]);
}

async function measure(one: Omit<UpstreamTask, "baseUrl" | "ids">): Promise<UpstreamFigures> {
  const server = await startUpstreamServer({
    port: 0,
    latencyMs: () => medianMs * Math.exp(latencySpread * gaussian()),
    misbehave: ({ number }) => (number % turnedAwayEvery === 1 ? "429_seconds" : undefined),
  });
  const worker = fork(new URL("upstream-worker.ts", import.meta.url).pathname);
  try {
    await once(worker, "message");
    worker.send({ baseUrl: server.url, ids, ...one } satisfies UpstreamTask);
    const [figures] = (await once(worker, "message")) as [UpstreamFigures];
    return figures;
  } finally {
    worker.disconnect();
    await server.close();
  }
}

/** Box-Muller. */
const gaussian = (): number =>
  Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());

function rowOf(name: string, figures: UpstreamFigures): object {
  const { wallMs, cpuMs, calls, tries, answered, peakMegabytes } = figures;
  const isMet =
    answered === ids && wallMs < aims.wallSeconds * 1_000 && peakMegabytes < aims.peakMegabytes;
  return {
    read: name,
    answered,
    calls,
    tries,
    wallSeconds: Number((wallMs / 1_000).toFixed(1)),
    ofTheAim: Number((wallMs / 1_000 / aims.wallSeconds).toFixed(2)),
    cpuSeconds: Number((cpuMs / 1_000).toFixed(1)),
    peakMegabytes: Math.round(peakMegabytes),
    ofTheAimMemory: Number((peakMegabytes / aims.peakMegabytes).toFixed(2)),
    aims: isMet ? "met" : "MISSED",
  };
}
