import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import type { SerializedEvent } from "../../../shared/events/event.ts";

/** The API of an Outpost server, for one tenant. */
export interface OutpostApi {
  /** Returns true if the server and its workers are running. */
  isHealthy(): Promise<boolean>;
  /** Creates the tenant, and a webhook destination of all topics. */
  addDestination(url: string): Promise<void>;
  /** Publishes an event that `publicationOf` created. */
  publish(publication: Buffer): Promise<void>;
  close(): void;
}

/** The only topic of the server. */
export const topic = "bench";

/** The server and the tenant of an `OutpostApi`. */
export interface OutpostTenant {
  /** The port of the server on 127.0.0.1. */
  readonly port: number;
  readonly apiKey: string;
  /** The ID of the tenant: letters, digits and hyphens. */
  readonly tenant: string;
}

/**
 * Returns the body of the request that publishes an event. Its `data` are exactly the body of the
 * event.
 */
export const publicationOf = (
  { id, body }: Pick<SerializedEvent, "id" | "body">,
  tenant: string,
): Buffer =>
  Buffer.from(
    `{"id":${JSON.stringify(id)},"tenant_id":"${tenant}","topic":"${topic}","data":${body}}`,
  );

/**
 * Creates a client for the API of an Outpost server. The client acts for one tenant, and keeps its
 * connections open until `close`.
 */
export function outpostApi({ port, apiKey, tenant }: OutpostTenant): OutpostApi {
  const agent = new Agent({ keepAlive: true });
  const call = async (method: string, path: string, body?: Buffer): Promise<Answer> => {
    const headers = {
      Authorization: `Bearer ${apiKey}`,
      "Content-Type": "application/json",
      "Content-Length": body?.length ?? 0,
    };
    const url = `http://127.0.0.1:${port}${path}`;
    const outgoing = request(url, { method, headers, agent });
    outgoing.end(body);
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    const text = (await response.setEncoding("utf8").toArray()).join("");
    return { method, path, status: response.statusCode ?? 0, text };
  };
  return {
    async isHealthy() {
      try {
        return (await call("GET", "/healthz")).status === 200;
      } catch {
        return false;
      }
    },
    async addDestination(url) {
      expectStatus(await call("PUT", `/api/v1/tenants/${tenant}`), 201);
      const destination = { type: "webhook", topics: ["*"], config: { url } };
      const body = Buffer.from(JSON.stringify(destination));
      expectStatus(await call("POST", `/api/v1/tenants/${tenant}/destinations`, body), 201);
    },
    async publish(publication) {
      expectStatus(await call("POST", "/api/v1/publish", publication), 202);
    },
    close: () => agent.destroy(),
  };
}

interface Answer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly text: string;
}

function expectStatus({ method, path, status, text }: Answer, expected: number): void {
  if (status === expected) return;
  throw new Error(
    `Outpost returned HTTP ${status} for ${method} ${path} (expected ${expected}): ${text.slice(0, 500)}`,
  );
}
