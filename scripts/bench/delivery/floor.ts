/**
 * A separate process that does only the unavoidable work of deliveries, in a loop. For webhooks, it
 * signs the bytes that the service would send, and posts them over open TLS connections. For
 * exports, it compresses the bytes and writes them with the S3 client.
 */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { gzipSync } from "node:zlib";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import type { SerializedEvent } from "../../../shared/events/event.ts";
import { signatureHeader, standardHeaders } from "../../../shared/webhooks/signature.ts";
import { selfSigned } from "../../../tools/stand-ins/self-signed.ts";
import { type DeliveryTask, readPlaces, runsOf, type Spent, spentOn } from "./task.ts";
import { doTasks } from "../do-tasks.ts";

const { receiverUrl, customerBucket: Bucket } = readPlaces();
const agent = new Agent({ keepAlive: true, ca: selfSigned.cert });
const s3 = new S3Client({
  forcePathStyle: true,
  requestChecksumCalculation: "WHEN_REQUIRED",
  responseChecksumValidation: "WHEN_REQUIRED",
});
const secrets = [`whsec_${Buffer.alloc(33, 7).toString("base64")}`];

/** An event with its bytes, which are created before the measurement starts. */
interface Ready extends SerializedEvent {
  readonly bytes: Buffer;
}

async function post(event: Ready): Promise<void> {
  const body = event.bytes;
  const signing = { body, secrets, at: new Date() };
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": "Service-Webhooks/1.0",
    "Service-Signature": signatureHeader(signing),
    "Service-Event-Type": event.type,
    "Service-Delivery-Id": event.id,
    "Service-Attempt": "1",
    ...standardHeaders(event.id, signing),
    "Content-Length": String(body.length),
  };
  const outgoing = request(receiverUrl, { method: "POST", headers, agent });
  outgoing.end(body);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  if (response.statusCode !== 200) {
    throw new Error(
      `The receiver returned HTTP ${response.statusCode} (expected 200). Look for its error in the output of the bench.`,
    );
  }
}

async function put(event: Ready): Promise<void> {
  const Body = gzipSync(event.bytes);
  await s3.send(new PutObjectCommand({ Bucket, Key: `bare/${event.id}.jsonl.gz`, Body }));
}

async function loop(task: DeliveryTask): Promise<Spent> {
  const end = task.to === "bucket" ? "\n" : "";
  const waiting: readonly Ready[] = (await runsOf(task))
    .flatMap(({ events }) => events)
    .map((event) => Object.assign({ bytes: Buffer.from(event.body + end) }, event));
  let next = 0;
  const track = async (): Promise<void> => {
    for (let event = waiting[next++]; event !== undefined; event = waiting[next++]) {
      await (task.to === "receiver" ? post(event) : put(event));
    }
  };
  return spentOn(async () => {
    await Promise.all(Array.from({ length: task.parallel }, track));
  });
}

doTasks(loop);
