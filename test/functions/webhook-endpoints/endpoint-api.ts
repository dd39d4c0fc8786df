import { Logger } from "@aws-lambda-powertools/logger";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { type GenericSchema, parse } from "valibot";
import { expect } from "vitest";
import { groupHandler } from "../../../functions/http/group-handler.ts";
import {
  type EndpointDependencies,
  endpointRoutes,
} from "../../../functions/webhook-endpoints/handler.ts";
import type { Admission } from "../../../shared/accounts/account-store.ts";
import { hashApiKey, newApiKey } from "../../../shared/accounts/api-key.ts";
import { systemChance } from "../../../shared/base/system.ts";
import type { DeliveryWorld } from "../../support/delivery-world.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Record<string, unknown>;
  /** The body as it was sent. */
  readonly text: string;
}

interface Sent {
  readonly body?: unknown;
  readonly query?: Record<string, string>;
  /** Whose key is sent; `demo` is the demo workspace. */
  readonly account?: string;
}

/** The route group over a world's tables, called as the gateway calls it. */
export function endpointApi(world: DeliveryWorld, replaced: Partial<EndpointDependencies> = {}) {
  const { registering, webhooks, outbox, publishing } = world;
  const warnings: string[] = [];
  const accountOf = new Map<string, string>();
  const keys = new Map<string, string>();
  const keyOf = (account: string): string => {
    const known = keys.get(account);
    if (known !== undefined) return known;
    const key = newApiKey(account === "demo", systemChance);
    keys.set(account, key);
    accountOf.set(hashApiKey(key), account);
    return key;
  };
  const handler = groupHandler({
    group: "webhook-endpoints",
    routes: endpointRoutes,
    dependencies: {
      ...registering,
      deliveries: webhooks.deliveries,
      sender: webhooks.sender,
      outbox,
      queue: publishing.queue,
      warn: (message: string) => void warnings.push(message),
      logger: new Logger(),
      accounts: {
        admit: async (hash: string): Promise<Admission> => {
          const accountId = accountOf.get(hash) ?? "";
          const rate = { limit: 50, remaining: 49, resetSeconds: 1 };
          const key = { keyId: "key_1", keyName: "k", keyPrefix: "svc_live_abc" };
          const owner = { accountId, ...key, demo: accountId === "demo" };
          return { outcome: "admitted", owner, rate };
        },
      },
      ...replaced,
    },
  });
  const call = async (
    method: string,
    path: string,
    { body, query, account = "acct_1" }: Sent = {},
  ): Promise<Answer> => {
    const event = {
      httpMethod: method,
      path: `/v1/${path}`,
      headers: {
        Host: "api.shop-example.com",
        Authorization: `Bearer ${keyOf(account)}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      multiValueHeaders: {},
      queryStringParameters: query ?? null,
      pathParameters: null,
      body: body === undefined ? null : JSON.stringify(body),
      isBase64Encoded: false,
      requestContext: { path: `/v1/${path}`, identity: { sourceIp: "192.0.2.1" } },
    } as unknown as APIGatewayProxyEvent;
    const context = { getRemainingTimeInMillis: () => 29_000 } as Context;
    const answer = await handler(event, context);
    return {
      status: answer.statusCode,
      headers: answer.headers ?? {},
      body: JSON.parse(answer.body) as Answer["body"],
      text: answer.body,
    };
  };
  return { call, warnings };
}

export type EndpointApi = ReturnType<typeof endpointApi>;

/** What a client may rely on: the schema, and nothing besides it. */
export function expectShape(schema: GenericSchema, { body }: Answer): void {
  expect(parse(schema, body)).toEqual(body);
}

/** The error body of an answer, without the words. */
export const refusal = ({ status, body }: Answer) => {
  const { code, param } = body["error"] as { code: string; param?: string };
  return { status, code, ...(param === undefined ? {} : { param }) };
};

export const invalid = (param: string) => ({ status: 400, code: "INVALID_PARAM", param });
export const notFound = { status: 404, code: "NOT_FOUND" };
export const conflict = { status: 409, code: "CONFLICT" };
