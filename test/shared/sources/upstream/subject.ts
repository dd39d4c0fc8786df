import {
  startUpstreamServer,
  type UpstreamServer,
  type UpstreamServerOptions,
} from "../../../../tools/sources/upstream/server.ts";
import { systemRandom, systemClock } from "../../../../shared/base/system.ts";
import { localRateBudget } from "../../../../shared/sources/http/rate-budget.ts";
import { sourceClient, temporaryStatuses } from "../../../../shared/sources/http/polite-client.ts";
import type {
  UpstreamDependencies,
  UpstreamNote,
  UpstreamOptions,
} from "../../../../shared/sources/upstream/exchange.ts";

/** The reference server, and the dependencies of an adapter that reads from it. */
export interface UpstreamSubject {
  readonly server: UpstreamServer;
  readonly options: UpstreamOptions;
  readonly dependencies: UpstreamDependencies;
  /** The warnings of the adapter so far. */
  readonly notes: readonly UpstreamNote[];
}

export interface SubjectOptions extends Omit<UpstreamServerOptions, "port"> {
  readonly batchIdsMax?: number;
  readonly tryTimeoutMs?: number;
  /** The secret that the adapter sends; by default the secret that the server requires. */
  readonly sentSecret?: string;
}

/** Without jitter: retries follow immediately, unless the server demands a wait. */
const random = { ...systemRandom, fraction: () => 0 };

/** Starts the reference server, and creates the client that reads from it. */
export async function startUpstream(subject: SubjectOptions = {}): Promise<UpstreamSubject> {
  const { batchIdsMax = 100, tryTimeoutMs = 10_000, sentSecret = subject.secret } = subject;
  const server = await startUpstreamServer({ port: 0, ...subject });
  const notes: UpstreamNote[] = [];
  const client = sourceClient(
    {
      name: "upstream",
      callsPerSecond: 1_000,
      burst: 1_000,
      callsAtOnce: 32,
      tryTimeoutMs,
      bytesMax: 5 * 1024 * 1024,
      isTemporary: (status) => temporaryStatuses.has(status),
      userAgent: "test",
    },
    { clock: systemClock, random, budget: localRateBudget(), note: () => {} },
  );
  return {
    server,
    notes,
    options: { baseUrl: server.url, batchIdsMax, callsAtOnceMax: 4 },
    dependencies: {
      client,
      clock: systemClock,
      random,
      note: (note) => notes.push(note),
      ...(sentSecret !== undefined && { secret: async () => sentSecret }),
    },
  };
}
