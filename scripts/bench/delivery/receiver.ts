/** Runs a TLS receiver in a separate process. It accepts and counts every delivery. */
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { selfSigned } from "../../../tools/stand-ins/self-signed.ts";
import { doTasks } from "../task-process.ts";

/** A question to the receiver. `deliveries` asks for the number since the last such question. */
export type ReceiverQuestion = "port" | "deliveries";

let deliveries = 0;

const server = createServer(selfSigned, (request, response) => {
  request.on("data", () => {});
  request.on("end", () => {
    deliveries += 1;
    response.end("ok");
  });
});
// Connections stay open between rounds, for clients that reuse them.
server.keepAliveTimeout = 60_000;
server.listen(0);
await once(server, "listening");
doTasks((question: ReceiverQuestion) => {
  if (question === "port") return (server.address() as AddressInfo).port;
  const counted = deliveries;
  deliveries = 0;
  return counted;
});
