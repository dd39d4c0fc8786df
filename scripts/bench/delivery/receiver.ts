/** Runs a TLS receiver in a separate process. It accepts and counts every delivery. */
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { selfSigned } from "../../../tools/stand-ins/self-signed.ts";
import { doTasks } from "../do-tasks.ts";
import { preciseNow } from "./task.ts";

/**
 * A question to the receiver. `deliveries` asks for the number of deliveries since the last such
 * question. `so-far` asks for the same number, and `bytes` for the bytes of their bodies, but
 * neither starts a new count. `arrival` asks for the time of the last delivery, in milliseconds
 * since 1970.
 */
export type ReceiverQuestion = "port" | "deliveries" | "so-far" | "bytes" | "arrival";

let deliveries = 0;
let bytes = 0;
let arrival = 0;

const server = createServer(selfSigned, (request, response) => {
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  request.on("end", () => {
    deliveries += 1;
    arrival = preciseNow();
    response.end("ok");
  });
});
// Connections stay open between rounds, for clients that reuse them.
server.keepAliveTimeout = 60_000;
server.listen(0);
await once(server, "listening");
doTasks((question: ReceiverQuestion) => {
  if (question === "port") return (server.address() as AddressInfo).port;
  if (question === "arrival") return arrival;
  if (question === "so-far") return deliveries;
  if (question === "bytes") return bytes;
  const counted = deliveries;
  deliveries = 0;
  bytes = 0;
  return counted;
});
