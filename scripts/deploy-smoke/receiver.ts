import { once } from "node:events";
import { createServer as createPlainServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Server } from "node:net";
import { openDataFolder } from "../../tools/local/data-folder.ts";
import { webhookReceiver } from "../../tools/local/webhook-receiver.ts";
import { testCertificate } from "./certificate.ts";

/** A running webhook receiver of the customer. */
export interface SmokeReceiver {
  readonly port: number;
  /** The address for control requests, on loopback. */
  readonly controlUrl: string;
  readonly stop: () => Promise<void>;
}

/** The port at which deliveries arrive, and their protocol. */
export type DeliveryPort =
  | { readonly kind: "tls"; readonly address: string }
  /** Plain HTTP, for a receiver behind a proxy that terminates TLS. */
  | { readonly kind: "plain"; readonly port: number };

/**
 * Starts the webhook receiver of a customer, which stores deliveries in `folder`. `port` states
 * where deliveries arrive: with TLS, at a free port of an address; in plain HTTP, at a given port
 * of the loopback address. Control requests arrive at another free port of the loopback address.
 */
export async function startReceiver(folder: string, port: DeliveryPort): Promise<SmokeReceiver> {
  const data = openDataFolder(folder, true);
  const listener = webhookReceiver(data, () => {});
  const deliveriesOnly: RequestListener = (request, response) => {
    if (request.method === "POST" && request.url?.startsWith("/hooks/") === true) {
      return listener(request, response);
    }
    response.writeHead(404).end();
  };
  const outer =
    port.kind === "tls"
      ? createTlsServer(testCertificate, deliveriesOnly).listen(0, port.address)
      : createPlainServer(deliveriesOnly).listen(port.port, "127.0.0.1");
  const inner = createPlainServer(listener).listen(0, "127.0.0.1");
  await Promise.all([once(outer, "listening"), once(inner, "listening")]);
  return {
    port: portOf(outer),
    controlUrl: `http://127.0.0.1:${portOf(inner)}`,
    async stop() {
      for (const server of [outer, inner]) {
        const closed = once(server, "close");
        server.close();
        server.closeAllConnections();
        await closed;
      }
      data.release();
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error(
      "The webhook receiver does not listen on a TCP port. Wait until it listens, then read its port.",
    );
  return address.port;
}
