import {
  array,
  boolean,
  nullable,
  number,
  object,
  optional,
  parse,
  picklist,
  string,
} from "valibot";
import { eventTypes } from "../../events/event.ts";
import { disabledReasons, type WebhookEndpoint } from "../../webhooks/endpoint.ts";
import type { Row } from "../table/dynamo.ts";
import { deliveryKeys } from "../table/table.ts";

/** Returns the row of a webhook endpoint, including its key. */
export const endpointRowOf = (endpoint: WebhookEndpoint): Row => ({
  ...deliveryKeys.endpoint(endpoint.accountId, endpoint.id),
  id: endpoint.id,
  url: endpoint.url,
  registered_url: endpoint.registeredUrl,
  description: endpoint.description,
  events: endpoint.events,
  enabled: endpoint.enabled,
  disabled_reason: endpoint.disabledReason,
  receiving_since: endpoint.receivingSince,
  secret: endpoint.secret,
  secret_hint: endpoint.secretHint,
  previous_secret:
    endpoint.previousSecret === null
      ? null
      : { sealed: endpoint.previousSecret.sealed, expires_at: endpoint.previousSecret.expiresAt },
  requests_at_once: endpoint.requestsAtOnce,
  created_at: endpoint.createdAt,
  updated_at: endpoint.updatedAt,
});

const endpointRow = object({
  id: string(),
  url: string(),
  // Absent in rows that an earlier release wrote.
  registered_url: optional(nullable(string()), null),
  description: nullable(string()),
  events: nullable(array(picklist(eventTypes))),
  enabled: boolean(),
  // `disabled_reason` and `receiving_since` are absent in rows that an earlier release wrote, which
  // did not disable endpoints.
  disabled_reason: optional(nullable(picklist(disabledReasons)), null),
  receiving_since: optional(string()),
  secret: string(),
  secret_hint: string(),
  previous_secret: nullable(object({ sealed: string(), expires_at: string() })),
  // Absent in rows that an earlier release wrote.
  requests_at_once: optional(nullable(number()), null),
  created_at: string(),
  updated_at: string(),
});

const countRow = object({ endpoints: optional(number(), 0) });

/**
 * Parses the row with the number of webhook endpoints of an account. Returns the number; 0 if the
 * account has no such row, because it has created no endpoint.
 */
export const endpointCountOf = (stored: Row | undefined): number =>
  parse(countRow, stored ?? {}).endpoints;

/** Parses the row of a webhook endpoint. @throws ValiError if the row is malformed */
export function endpointFromRow(accountId: string, stored: Row): WebhookEndpoint {
  const row = parse(endpointRow, stored);
  const previous = row.previous_secret;
  return {
    id: row.id,
    accountId,
    url: row.url,
    registeredUrl: row.registered_url,
    description: row.description,
    events: row.events,
    enabled: row.enabled,
    disabledReason: row.enabled ? null : (row.disabled_reason ?? "user"),
    receivingSince: row.receiving_since ?? row.created_at,
    secret: row.secret,
    secretHint: row.secret_hint,
    previousSecret:
      previous === null ? null : { sealed: previous.sealed, expiresAt: previous.expires_at },
    requestsAtOnce: row.requests_at_once,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
