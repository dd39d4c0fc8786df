import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { inParallel } from "../../../shared/base/in-parallel.ts";
import { selfSigned } from "../../../tools/stand-ins/self-signed.ts";
import { preciseNow, runsOf } from "../delivery/task.ts";
import { freePort } from "../../../tools/local/free-port.ts";
import { startProcess } from "./child-process.ts";
import type { Infrastructure } from "./infrastructure.ts";
import type { MeasuredService, OnEnd } from "./measured-service.ts";
import { outpostApi, publicationOf, topic } from "./outpost-api.ts";
import { cpuMsOf } from "./process-usage.ts";
import type { OutpostProgram } from "./tools.ts";

/** The number of concurrent publications, and of concurrent deliveries. */
const atOnce = 4;
const apiKey = "bench";
/** Outpost writes a batch of delivery logs after this time. Its default is 10 s. */
const logBatchSeconds = 1;
/** Outpost has no pending work if it uses less CPU time than this in a window. */
const idle = { cpuMs: 50, windowMs: 1_500, windowsMax: 40 };

interface OutpostPlace {
  /** The folder of the built programs. */
  readonly programs: string;
  readonly infrastructure: Infrastructure;
  /** The folder of the logs. */
  readonly folder: string;
}

/**
 * Builds the programs of Outpost, if they are not built yet.
 * @param folder The folder of the built programs and of the log.
 * @returns The folder of the programs.
 * @throws Error if the build fails
 */
export async function builtOutpost(
  program: OutpostProgram,
  folder: string,
  onEnd: OnEnd,
): Promise<string> {
  if ("built" in program) return program.built;
  const { source, go } = program;
  const build = startProcess({
    name: "go-build",
    file: go,
    args: ["build", "-C", source, "-tags", "nomsgpack", "-o", folder, ...commands],
    folder,
    variables: goVariables(),
  });
  onEnd(() => build.stop());
  await build.untilDone();
  return folder;
}

const commands = ["./cmd/outpost", "./cmd/outpost-server"];

/** The variables of this process. Go finds its caches and proxies by them. */
const goVariables = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );

/**
 * Starts Outpost with one webhook destination, the receiver of the bench. Creates the tables first,
 * if they do not exist.
 * @throws Error if Outpost is not ready within 60 s
 */
export async function startOutpost(
  receiverUrl: string,
  { programs, infrastructure, folder }: OutpostPlace,
  onEnd: OnEnd,
): Promise<MeasuredService> {
  const port = await freePort();
  const certificates = join(folder, "receiver.pem");
  writeFileSync(certificates, selfSigned.cert);
  const variables = { ...variablesOf(infrastructure, port), SSL_CERT_FILE: certificates };
  const migration = startProcess({
    name: "outpost-migrate",
    file: join(programs, "outpost"),
    args: ["migrate", "apply", "--yes"],
    folder,
    variables,
  });
  onEnd(() => migration.stop());
  await migration.untilDone();

  const server = startProcess({
    name: "outpost-server",
    file: join(programs, "outpost-server"),
    args: [],
    folder,
    variables,
  });
  onEnd(() => server.stop());
  // Each start has a separate tenant, because the destinations of earlier starts stay in Redis.
  const tenant = `bench-${port}`;
  const api = outpostApi({ port, apiKey, tenant });
  onEnd(() => api.close());
  await server.untilReady(() => api.isHealthy());
  await api.addDestination(receiverUrl);
  return {
    name: "Outpost",
    pid: server.pid,
    async deliver(task) {
      const events = (await runsOf(task)).flatMap((run) => run.events);
      const publications = events.map((event) => publicationOf(event, tenant));
      const beganAt = preciseNow();
      await inParallel(publications, atOnce, (publication) => api.publish(publication));
      return beganAt;
    },
    async cpuMs() {
      await untilIdle(server.pid);
      return cpuMsOf(server.pid);
    },
  };
}

/**
 * Returns the settings of the server. Apart from concurrency, batches and logs, the settings only
 * name the other servers.
 */
const variablesOf = (
  { redisPort, postgresUrl, rabbitmqUrl }: Infrastructure,
  port: number,
): Readonly<Record<string, string>> => ({
  API_PORT: String(port),
  API_KEY: apiKey,
  API_JWT_SECRET: "bench",
  AES_ENCRYPTION_SECRET: "0123456789abcdef",
  TOPICS: topic,
  REDIS_HOST: "127.0.0.1",
  REDIS_PORT: String(redisPort),
  POSTGRES_URL: postgresUrl,
  RABBITMQ_SERVER_URL: rabbitmqUrl,
  DELIVERY_MAX_CONCURRENCY: String(atOnce),
  LOG_BATCH_THRESHOLD_SECONDS: String(logBatchSeconds),
  LOG_LEVEL: "error",
  DISABLE_TELEMETRY: "true",
});

/** Waits until the process uses almost no CPU time, because it has written its last batch. */
async function untilIdle(pid: number): Promise<void> {
  for (let window = 0; window < idle.windowsMax; window += 1) {
    const before = cpuMsOf(pid);
    await delay(idle.windowMs);
    if (cpuMsOf(pid) - before < idle.cpuMs) return;
  }
  throw new Error(
    `Outpost still uses the CPU ${(idle.windowMs * idle.windowsMax) / 1_000} s after its last delivery. Look for failed writes in its database.`,
  );
}
