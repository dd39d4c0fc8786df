import { Logger } from "@aws-lambda-powertools/logger";
import type { MiddlewareDependencies, HttpHandler } from "../../functions/http/group-handler.ts";
import type { Admission } from "../../shared/accounts/account-store.ts";
import { systemRandom } from "../../shared/base/system.ts";
import { fixedClock } from "./clock.ts";
import { gatewayContext, gatewayEvent } from "./gateway-event.ts";

/**
 * Builds the dependencies of the HTTP middleware. `admit` receives the hash of an API key, and
 * decides whether the key is valid.
 */
export const edgeWith = (
  admit: (keyHash: string) => Promise<Admission>,
): MiddlewareDependencies => ({
  accounts: { admit },
  clock: fixedClock("2026-03-01T00:00:00Z"),
  random: systemRandom,
  logger: new Logger(),
});

export interface EdgeCall {
  /** The method and the path, such as `GET /v1/account`. */
  readonly route: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly address?: string;
}

export interface EdgeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

/** Calls a handler with an event of API Gateway. Returns its response with the decoded body. */
export async function callEdge(handler: HttpHandler, call: EdgeCall): Promise<EdgeAnswer> {
  const [method = "", path = ""] = call.route.split(" ");
  const event = gatewayEvent({
    method,
    path,
    headers: { "Content-Type": "application/json", ...call.headers },
    query: call.query ?? null,
    body: call.body ?? null,
    ...(call.address !== undefined && { address: call.address }),
  });
  const { statusCode, headers = {}, body, isBase64Encoded } = await handler(event, gatewayContext);
  const bytes = Buffer.from(body, isBase64Encoded === true ? "base64" : "utf8");
  return { status: statusCode, headers, bytes };
}
