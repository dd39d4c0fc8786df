import type { RouteKey } from "../../../functions/routes.ts";
import { accountPatchBody, accountResponse } from "../../../shared/accounts/account-schema.ts";
import {
  apiKeyDeletedResponse,
  apiKeysResponse,
  apiKeyWithKeySchema,
  newApiKeyBody,
} from "../../../shared/accounts/api-key-schema.ts";
import { usageQuery, usageResponse } from "../../../shared/accounts/usage-schema.ts";
import {
  creditTransactionsQuery,
  creditTransactionsResponse,
} from "../../../shared/credits/credit-transaction-schema.ts";
import { account, apiKey, chargeEntry, usage } from "../../../tools/documents/examples/account.ts";
import type { Operation } from "../operation.ts";

export const accountOperations = {
  "GET /v1/account": {
    id: "getAccount",
    tag: "Account",
    summary: "Get the account",
    description:
      "Returns the balance, the concurrency limit, and the key that made the call. Free.",
    answers: { 200: { description: "The account.", schema: accountResponse, example: account } },
  },
  "PATCH /v1/account": {
    id: "updateAccount",
    tag: "Account",
    summary: "Set the daily budget",
    description:
      "Sets `daily_credit_budget`, which limits what item calls and runs spend on a UTC day. It applies " +
      "immediately, and includes what was spent earlier on this day. Open reservations count as " +
      "spent, and refunds give their credits back. A call counts towards the day on which it began. Free.",
    body: {
      schema: accountPatchBody,
      examples: { set: { daily_credit_budget: 2_000 }, remove: { daily_credit_budget: null } },
    },
    answers: { 200: { description: "The account.", schema: accountResponse, example: account } },
  },
  "GET /v1/usage": {
    id: "getUsage",
    tag: "Account",
    summary: "Get usage by day",
    description: "Returns item calls, run steps and credits by day, in UTC, oldest first. Free.",
    query: usageQuery,
    answers: {
      200: { description: "Totals and one entry per day.", schema: usageResponse, example: usage },
    },
  },
  "GET /v1/credit_transactions": {
    id: "listCreditTransactions",
    tag: "Account",
    summary: "List the ledger",
    description:
      "Lists the entries that changed the balance, newest first. Free.\n\nAn item call and a step of " +
      "a run each have one entry for the reservation, one for the charge and one for the refund. " +
      "Each entry shows its purpose.\n\nThe entries of an account form one chain, even those of calls that " +
      "run at the same time: `sequence` has no gap, and `balance_before` of an entry equals " +
      "`balance_after` of the entry before it. Entries are in the order in which the ledger recorded them, " +
      "which can differ slightly from the order of your responses. The `id`, `sequence` and balances of a " +
      "listed entry never change, and new entries are listed before it. IDs sort in the order of the " +
      "entries.\n\nTwo filters look entries up directly: `request_id`, and `type` with grant, purchase or " +
      "adjust. With any other filter, a page scans up to 2,000 entries. A page with a filter can be short " +
      "or empty: follow `next_starting_after` until it is null.",
    query: creditTransactionsQuery,
    answers: {
      200: {
        description: "Entries of the ledger, newest first.",
        schema: creditTransactionsResponse,
        example: {
          object: "list",
          data: [chargeEntry],
          has_more: true,
          next_starting_after: chargeEntry.id,
        },
      },
    },
  },
  "GET /v1/api_keys": {
    id: "listApiKeys",
    tag: "Account",
    summary: "List API keys",
    description: "Lists the API keys of the account, oldest first, without the secret parts. Free.",
    answers: {
      200: {
        description: "The account's keys.",
        schema: apiKeysResponse,
        example: { object: "list", data: [apiKey], has_more: false },
      },
    },
  },
  "POST /v1/api_keys": {
    id: "createApiKey",
    tag: "Account",
    summary: "Create an API key",
    description:
      "Creates an API key. The key is returned in this response only. `scopes` limits what its calls may " +
      "do. A key can create only keys with scopes that it has: otherwise, the call gets 403 `UNAUTHORIZED`.",
    body: {
      schema: newApiKeyBody,
      examples: { key: { name: "server" }, agent: { name: "agent", scopes: ["read"] } },
    },
    answers: {
      201: {
        description: "The API key, with its secret part.",
        schema: apiKeyWithKeySchema,
        example: {
          ...apiKey,
          last_used_at: null,
          key: "svc_live_7f3Kq9LmZ2xVb8NcT5wR1yHd4sGj6pAe0uQiXo",
        },
      },
    },
    refusals: [409],
  },
  "DELETE /v1/api_keys/{id}": {
    id: "revokeApiKey",
    tag: "Account",
    summary: "Revoke an API key",
    description: "Revokes an API key immediately. A key cannot revoke itself.",
    path: { id: { description: "ID of the API key.", example: apiKey.id } },
    answers: {
      200: {
        description: "The key is revoked.",
        schema: apiKeyDeletedResponse,
        example: { id: apiKey.id, object: "api_key", deleted: true },
      },
    },
    refusals: [404, 409],
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
