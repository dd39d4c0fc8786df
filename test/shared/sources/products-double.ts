import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export interface DoubleCall {
  readonly skus: readonly string[];
  readonly url: URL;
  /** Counts the calls, from 1. */
  readonly number: number;
}

export type Reaction =
  | "hang"
  | "reset"
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Sent as it is when a string or bytes, else as JSON. */
      readonly body?: unknown;
      readonly afterMs?: number;
    };

export interface ProductsDouble {
  readonly url: string;
  readonly calls: DoubleCall[];
  /** The most calls that were in work at one time. */
  atOnceMax(): number;
  stop(): Promise<void>;
}

/** A products API that misbehaves as told, over real HTTP. */
export async function startProductsDouble(
  react: (call: DoubleCall) => Reaction,
): Promise<ProductsDouble> {
  const calls: DoubleCall[] = [];
  let inWork = 0;
  let most = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://double.invalid");
    const skus = /sku in\(([\d,]*)\)/.exec(decodeURIComponent(url.pathname))?.[1]?.split(",") ?? [];
    const call = { skus, url, number: calls.length + 1 };
    calls.push(call);
    inWork += 1;
    most = Math.max(most, inWork);
    response.once("close", () => {
      inWork -= 1;
    });
    const reaction = react(call);
    if (reaction === "hang") return;
    if (reaction === "reset") {
      request.socket.destroy();
      return;
    }
    const { status = 200, headers = {}, body = "", afterMs = 0 } = reaction;
    const isRaw = typeof body === "string" || body instanceof Uint8Array;
    void delay(afterMs).then(() => {
      response.writeHead(status, headers);
      response.end(isRaw ? body : JSON.stringify(body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    atOnceMax: () => most,
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A product in stock, as the API sends it. */
export const aProduct = (
  sku: string,
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  sku: Number(sku),
  active: true,
  name: `Kelwick - Lamp ${sku}`,
  salePrice: 19.99,
  regularPrice: 24.99,
  onlineAvailability: true,
  orderable: "Available",
  ...fields,
});

/** A whole reply that holds these products and says so. */
export const wholeReply = (products: readonly unknown[]): Record<string, unknown> => ({
  total: products.length,
  totalPages: 1,
  partial: false,
  products,
});
