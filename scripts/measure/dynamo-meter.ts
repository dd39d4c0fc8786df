import type { IncomingMessage, RequestListener } from "node:http";
import { request as send } from "node:http";
import { type LocalServer, readBody, serveFrom } from "../../tools/local/local-server.ts";

/** The requests to DynamoDB since the last `take`, and the capacity that they consumed. */
export interface Metered {
  readonly roundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** A proxy in front of DynamoDB that counts requests and capacity units. */
export interface DynamoMeter {
  /** The address of the proxy, which SDK clients must use as their endpoint. */
  readonly url: string;
  /** Returns the counts since the last call, and resets the counts to 0. */
  take(): Metered;
  stop(): Promise<void>;
}

const bodyBytesMax = 20 * 1024 * 1024;
const reads = new Set(["GetItem", "Query", "BatchGetItem", "TransactGetItems"]);
const metered = new Set([
  ...reads,
  "PutItem",
  "UpdateItem",
  "DeleteItem",
  "BatchWriteItem",
  "TransactWriteItems",
]);

/**
 * Starts a proxy between the service and DynamoDB, which counts requests and the capacity that they
 * consume.
 * @param target the URL of DynamoDB
 */
export async function startDynamoMeter(target: string): Promise<DynamoMeter> {
  let counted = { roundTrips: 0, readUnits: 0, writeUnits: 0 };
  const listener: RequestListener = (request, response) => {
    void (async () => {
      const body = (await readBody(request, bodyBytesMax)) ?? Buffer.alloc(0);
      const operation = String(request.headers["x-amz-target"]).split(".")[1] ?? "";
      const asked = metered.has(operation)
        ? JSON.stringify({ ...JSON.parse(body.toString()), ReturnConsumedCapacity: "TOTAL" })
        : body.toString();
      const answer = await forward(target, request, asked);
      if (metered.has(operation)) {
        const units = unitsOf(answer.body);
        counted = {
          roundTrips: counted.roundTrips + 1,
          readUnits: counted.readUnits + (reads.has(operation) ? units : 0),
          writeUnits: counted.writeUnits + (reads.has(operation) ? 0 : units),
        };
      }
      response.writeHead(answer.status, { "content-type": "application/x-amz-json-1.0" });
      response.end(answer.body);
    })();
  };
  const server: LocalServer = await serveFrom(0, listener);
  return {
    url: server.url,
    take() {
      const taken = counted;
      counted = { roundTrips: 0, readUnits: 0, writeUnits: 0 };
      return taken;
    },
    stop: () => server.close(),
  };
}

function forward(
  target: string,
  { headers }: IncomingMessage,
  body: string,
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const {
      host: _host,
      "content-length": _length,
      "x-amz-content-sha256": _hash,
      ...rest
    } = headers;
    const outgoing = send(target, { method: "POST", headers: rest }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        resolve({ status: answer.statusCode ?? 500, body: Buffer.concat(chunks).toString() });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function unitsOf(body: string): number {
  const { ConsumedCapacity } = JSON.parse(body || "{}") as { ConsumedCapacity?: unknown };
  return [ConsumedCapacity].flat().reduce<number>((sum, one) => {
    const { CapacityUnits = 0 } = (one ?? {}) as { CapacityUnits?: number };
    return sum + CapacityUnits;
  }, 0);
}
