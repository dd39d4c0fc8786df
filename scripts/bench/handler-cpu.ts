/**
 * Measures the CPU time of the handler, and of a loop that does only the necessary work. Runs in a
 * separate process, so that no other work adds to this CPU time.
 */
import { Writable } from "node:stream";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { systemClock } from "../../shared/base/system.ts";
import { parseProductsRequest } from "../../shared/items/request.ts";
import { sandboxScraper } from "../../shared/sources/sandbox/scraper.ts";
import { provideStreaming } from "../../tools/local/response-stream.ts";
import { cpuTimer } from "../measure/cpu-timer.ts";
import { median } from "./median.ts";
import { doTasks } from "./do-tasks.ts";

/** The calls to measure: their tier, and the numbers of IDs in a call. */
export interface CpuTask {
  readonly environment: Record<string, string>;
  readonly keys: readonly string[];
  readonly tier: string;
  readonly idCounts: readonly number[];
}

/** The CPU time of a call with `ids` IDs, in the handler and in the loop. */
export interface CpuMetrics {
  /** The number of IDs in the call. */
  readonly ids: number;
  readonly tier: string;
  readonly handlerMs: number;
  /** The CPU time of a loop that does only the necessary work. */
  readonly floorMs: number;
  readonly aboveFloorMs: number;
  /** The time of the handler, divided by the time of the loop. */
  readonly ratio: number;
  /** The peak memory of the process that measured both `handlerMs` and `floorMs`. */
  readonly peakMegabytes: number;
}

type StreamingHandler = (
  event: APIGatewayProxyEvent,
  stream: Writable,
  context: Context,
) => Promise<void>;

provideStreaming();
const { createHandler } = await import("../../functions/products/handler.ts");
const floor = sandboxScraper({ seed: "sandbox", clock: systemClock });
const bodyOf = (tier: string, count: number): string =>
  JSON.stringify({
    platform: "retailer_a",
    tier,
    ids: Array.from({ length: count }, (_, n) => `B${String(100_000_000 + n)}`),
  });

/**
 * Sends a products call to a handler.
 * @throws Error if the response has less than half of the bytes of the request
 */
async function callHandler(handler: StreamingHandler, key: string, body: string): Promise<void> {
  const event = {
    httpMethod: "POST",
    path: "/v1/products",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    queryStringParameters: null,
    pathParameters: null,
    body,
    isBase64Encoded: false,
    requestContext: { path: "/v1/products", identity: { sourceIp: "127.0.0.1" } },
  } as unknown as APIGatewayProxyEvent;
  let bytes = 0;
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done();
    },
  });
  const context = { getRemainingTimeInMillis: () => 300_000 } as Context;
  await handler(event, sink, context);
  if (bytes < body.length / 2) {
    throw new Error(
      `The response of the handler has ${bytes} bytes (expected at least half of the ${body.length} bytes of the request). Check that the sandbox answers the requested IDs.`,
    );
  }
}

/**
 * Does only the necessary work of a handler: parses the body, reads from the sandbox, and
 * serializes the answers.
 * @throws Error if the answers have less than half of the bytes of the request
 */
async function runFloor(body: string): Promise<void> {
  const request = parseProductsRequest(JSON.parse(body) as never);
  const { scraper, marketplace, ids } = request;
  const deadline = new Date(Date.now() + 280_000);
  const answers = await floor.read({ scraper, marketplace, ids, deadline });
  const bytes = JSON.stringify(answers).length;
  if (bytes < body.length / 2) {
    throw new Error(
      `The read without a handler returned ${bytes} bytes (expected at least half of the ${body.length} bytes of the request). Check that the sandbox answers the requested IDs.`,
    );
  }
}

async function cpuMs(work: () => Promise<void>, times: number): Promise<number> {
  const spentMs = cpuTimer();
  for (let n = 0; n < times; n += 1) await work();
  return spentMs() / times;
}

const rounds = 7;

async function measure({ environment, keys, tier, idCounts }: CpuTask): Promise<CpuMetrics[]> {
  const handler = createHandler(environment as never) as unknown as StreamingHandler;
  let calls = 0;
  const metrics: CpuMetrics[] = [];
  for (const ids of idCounts) {
    const body = bodyOf(tier, ids);
    const times = Math.max(3, Math.min(60, Math.round(4_000 / ids)));
    const call = (): Promise<void> => {
      calls += 1;
      return callHandler(handler, keys[calls % keys.length] ?? "", body);
    };
    const handlerMs: number[] = [];
    const floorMs: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const [mine, bare] = [await cpuMs(call, times), await cpuMs(() => runFloor(body), times)];
      // The first round warms up the handler and the loop, and is not measured.
      if (round > 0) {
        handlerMs.push(mine);
        floorMs.push(bare);
      }
    }
    const [mine, bare] = [median(handlerMs), median(floorMs)];
    metrics.push({
      ids,
      tier,
      handlerMs: Math.round(mine * 100) / 100,
      floorMs: Math.round(bare * 1_000) / 1_000,
      aboveFloorMs: Math.round((mine - bare) * 100) / 100,
      ratio: Math.round((mine / bare) * 100) / 100,
      peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1_024),
    });
  }
  return metrics;
}

doTasks(measure);
