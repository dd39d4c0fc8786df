import { type GenericSchema, parse } from "valibot";
import { expect } from "vitest";
import type { HttpHandler } from "../../functions/http/group-handler.ts";
import type { Admission } from "../../shared/accounts/account-store.ts";
import { hashApiKey, newApiKey } from "../../shared/accounts/api-key.ts";
import { systemRandom } from "../../shared/base/system.ts";
import { gatewayContext, gatewayEvent } from "./gateway-event.ts";
import { scopes } from "../../shared/accounts/scopes.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Record<string, unknown>;
  /** The raw text of the response's body. */
  readonly text: string;
}

interface Sent {
  readonly body?: unknown;
  readonly query?: Record<string, string>;
  /** The ID of the account whose API key is sent. `demo` is the demo workspace. */
  readonly account?: string;
}

/**
 * Creates an account store that admits every call. `keyOf` returns the API key of an account,
 * always the same key for the same account. A call with any other key belongs to an account with an
 * empty ID.
 */
export function admittedAccounts() {
  const accountOf = new Map<string, string>();
  const keys = new Map<string, string>();
  const keyOf = (account: string): string => {
    const known = keys.get(account);
    if (known !== undefined) return known;
    const key = newApiKey(account === "demo", systemRandom);
    keys.set(account, key);
    accountOf.set(hashApiKey(key), account);
    return key;
  };
  return {
    keyOf,
    accounts: {
      admit: async (hash: string): Promise<Admission> => {
        const accountId = accountOf.get(hash) ?? "";
        const rate = { limit: 50, remaining: 49, resetSeconds: 1 };
        const key = { keyId: "key_1", keyName: "k", keyPrefix: "svc_live_abc" };
        const owner = { accountId, ...key, demo: accountId === "demo", scopes };
        return { outcome: "admitted", owner, rate };
      },
    },
  };
}

/**
 * Creates a function that calls `handler`, a Lambda function of the API, with an event of API
 * Gateway, and parses the response. The `path` of a call is the part after `/v1/`. If `account` is
 * absent, the call has the API key of `acct_1`.
 * @param keyOf returns the API key of an account
 */
export const groupCaller =
  (handler: HttpHandler, keyOf: (account: string) => string) =>
  async (
    method: string,
    path: string,
    { body, query, account = "acct_1" }: Sent = {},
  ): Promise<Answer> => {
    const event = gatewayEvent({
      method,
      path: `/v1/${path}`,
      headers: {
        Host: "api.shop-example.com",
        Authorization: `Bearer ${keyOf(account)}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      query: query ?? null,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const answer = await handler(event, gatewayContext);
    return {
      status: answer.statusCode,
      headers: answer.headers ?? {},
      body: JSON.parse(answer.body) as Answer["body"],
      text: answer.body,
    };
  };

/** Expects a body to match the schema and to have no other fields. */
export function expectShape(schema: GenericSchema, { body }: Pick<Answer, "body">): void {
  expect(parse(schema, body)).toEqual(body);
}

/** Returns the status of a refused call, and the code and parameter of its error. */
export const refusal = ({ status, body }: Answer) => {
  const { code, param } = body["error"] as { code: string; param?: string };
  return { status, code, ...(param === undefined ? {} : { param }) };
};

/** Returns what `refusal` returns for a call with an invalid parameter. */
export const invalid = (param: string) => ({ status: 400, code: "INVALID_PARAM", param });
export const notFound = { status: 404, code: "NOT_FOUND" };
export const conflict = { status: 409, code: "CONFLICT" };
