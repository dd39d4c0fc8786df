import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";

/** How fast a local world answers one kind of call. */
export interface RateResult {
  readonly call: string;
  /** Calls that the world completes per second of its CPU time. */
  readonly callsPerCpuSecond: number;
  readonly cpuMsPerCall: number;
  /**
   * The CPU time of a call divided by the CPU time of a call with an empty handler on the same
   * gateway.
   */
  readonly cpuRatio: number;
}

/** A local world in a separate process. */
export interface BenchWorld {
  readonly baseUrl: string;
  /** The environment variables of the products function. */
  readonly environment: Record<string, string>;
  /** The DynamoDB endpoint of the world. */
  readonly dynamo: string;
  /** Returns the CPU milliseconds that the process has used since its start. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts a local world in a separate process, and resolves when the world accepts calls.
 * @param dir the data folder of the world
 * @param variables environment variables of the process, in addition to the variables of this
 * process
 * @param onOutput receives the output of the process; if it is absent, the output is printed
 */
export async function startBenchWorld(
  dir: string,
  variables: Record<string, string>,
  onOutput?: (chunk: Buffer) => void,
): Promise<BenchWorld> {
  const child: ChildProcess = fork(new URL("gateway-world.ts", import.meta.url).pathname, {
    env: { ...process.env, LOCAL_DIR: dir, POWERTOOLS_LOG_LEVEL: "SILENT", ...variables },
    stdio: ["inherit", onOutput === undefined ? "inherit" : "pipe", "inherit", "ipc"],
  });
  if (onOutput !== undefined) child.stdout?.on("data", onOutput);
  const [ready] = (await once(child, "message")) as [
    Pick<BenchWorld, "baseUrl" | "environment" | "dynamo">,
  ];
  return {
    ...ready,
    async cpuMs() {
      child.send("cpu");
      const [answer] = (await once(child, "message")) as [{ cpuMs: number }];
      return answer.cpuMs;
    },
    async stop() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

const calls = 600;
const atOnce = 4;
const rounds = 3;

/**
 * Measures how many calls a local world completes per second of its CPU time. Measures several
 * calls of the service, and a call with an empty handler. Returns one result for each kind of call:
 * the best of three rounds, after one round that is not measured.
 * @param keys API keys for the calls. More keys allow more calls per second.
 */
export async function benchGateway(
  world: BenchWorld,
  keys: readonly string[],
): Promise<RateResult[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const body = JSON.stringify({ platform: "retailer_d", ids: ["9000000"] });
  const kinds = [
    { call: "bare handler", method: "GET", path: "/v1/structured", body: undefined },
    { call: "GET /v1/account", method: "GET", path: "/v1/account", body: undefined },
    { call: "POST /v1/products, 1 ID", method: "POST", path: "/v1/products", body },
  ];
  const best = new Map<string, number>();
  let next = 0;
  const one = async (kind: (typeof kinds)[number]): Promise<void> => {
    next += 1;
    const key = keys[next % keys.length] ?? "";
    await send(agent, world.baseUrl, { ...kind, key });
  };
  for (let round = 0; round <= rounds; round += 1) {
    for (const kind of kinds) {
      const before = await world.cpuMs();
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          for (let n = 0; n < calls / atOnce; n += 1) await one(kind);
        }),
      );
      const perSecond = (calls / ((await world.cpuMs()) - before)) * 1_000;
      if (round > 0) best.set(kind.call, Math.max(best.get(kind.call) ?? 0, perSecond));
    }
  }
  agent.destroy();
  const bare = best.get("bare handler") ?? 1;
  return [...best].map(([call, perSecond]) => ({
    call,
    callsPerCpuSecond: Math.round(perSecond),
    cpuMsPerCall: Math.round(1_000_000 / perSecond) / 1_000,
    cpuRatio: Math.round((bare / perSecond) * 10) / 10,
  }));
}

function send(
  agent: Agent,
  baseUrl: string,
  call: { method: string; path: string; body: string | undefined; key: string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${baseUrl}${call.path}`,
      {
        agent,
        method: call.method,
        headers: { Authorization: `Bearer ${call.key}`, "Content-Type": "application/json" },
      },
      (answer) => {
        answer.resume();
        answer.on("end", () => {
          if (answer.statusCode === 200) resolve();
          else
            reject(
              new Error(
                `${call.method} ${call.path} returned HTTP ${answer.statusCode} (expected 200). Look for its error in the output of the local world.`,
              ),
            );
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(call.body);
  });
}
