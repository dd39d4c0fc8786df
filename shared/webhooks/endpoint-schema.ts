import * as v from "valibot";
import { limits } from "../base/limits.ts";
import { count, listOf, timestamp } from "../base/wire-schema.ts";
import { disabledReasons } from "./endpoint.ts";

const endpointStatuses = ["ok", "failing", "disabled"] as const;
export type EndpointStatus = (typeof endpointStatuses)[number];

/** A webhook endpoint in API responses (specification, section "Webhook endpoint"). */
export const webhookEndpointSchema = v.object({
  id: v.pipe(v.string(), v.description("Begins with we_.")),
  object: v.literal("webhook_endpoint"),
  url: v.pipe(v.string(), v.description("The URL in normalized form.")),
  description: v.nullable(v.string()),
  events: v.nullable(
    v.pipe(
      v.array(v.string()),
      v.description(
        "Event types that the endpoint receives from watchlists that name no endpoint. Null if it receives every type.",
      ),
    ),
  ),
  enabled: v.boolean(),
  status: v.pipe(
    v.picklist(endpointStatuses),
    v.description(
      `failing: at least the last ${limits.failuresUntilFailing} attempts failed. disabled: the ` +
        "endpoint receives nothing; see `disabled_reason`. Test deliveries do not count.",
    ),
  ),
  disabled_reason: v.pipe(
    v.nullable(v.picklist(disabledReasons)),
    v.description(
      "user: you disabled it. gone: the receiver returned 410. failing: a delivery exhausted its " +
        `retries after ${limits.webhookFailingDaysMax} days without a success. Null if the endpoint is enabled.`,
    ),
  ),
  failing_since: v.pipe(
    v.nullable(timestamp),
    v.description(
      "Start time of the first attempt of the current series of failed attempts. Null while the series has " +
        `fewer than ${limits.failuresUntilFailing} attempts. ` +
        "A success, a new URL, or enabling the endpoint ends a series.",
    ),
  ),
  last_error: v.nullable(
    v.pipe(
      v.string(),
      v.description("Why the last attempt failed, such as status_500. Null if it succeeded."),
    ),
  ),
  last_success_at: v.pipe(
    v.nullable(timestamp),
    v.description("Start of the latest successful attempt."),
  ),
  secret_hint: v.pipe(v.string(), v.description("The secret's last four characters.")),
  previous_secret_expires_at: v.nullable(
    v.pipe(
      timestamp,
      v.description("When the secret that the last rotation replaced stops signing deliveries."),
    ),
  ),
  created_at: timestamp,
  updated_at: timestamp,
});

/** Response 200 of `GET /v1/webhook_endpoints`. */
export const webhookEndpointsResponse = listOf(webhookEndpointSchema);

/** Response 201 of `POST /v1/webhook_endpoints`, and response 200 of a secret rotation. */
export const webhookEndpointWithSecretSchema = v.object({
  ...webhookEndpointSchema.entries,
  secret: v.pipe(v.string(), v.description("The signing secret. No later response contains it.")),
});

/** Response 200 of `DELETE /v1/webhook_endpoints/{id}`. */
export const webhookEndpointDeletedResponse = v.object({
  id: v.string(),
  object: v.literal("webhook_endpoint"),
  deleted: v.literal(true),
});

/** Response 200 of `POST /v1/webhook_endpoints/{id}/test`, even if the test delivery failed. */
export const webhookTestResponse = v.object({
  object: v.literal("webhook_test"),
  endpoint_id: v.string(),
  delivered: v.pipe(v.boolean(), v.description("True when the receiver returned 2xx in time.")),
  status_code: v.nullable(
    v.pipe(
      v.number(),
      v.integer(),
      v.description("HTTP status of the response. Null if there was no response."),
    ),
  ),
  duration_ms: count,
  error: v.nullable(
    v.pipe(
      v.string(),
      v.description("Why the delivery failed, such as status_500, timeout or endpoint_disabled."),
    ),
  ),
});

/** Response 202 of `POST /v1/webhook_endpoints/{id}/recover`. */
export const webhookRecoveryResponse = v.object({
  object: v.literal("webhook_recovery"),
  endpoint_id: v.string(),
  since: timestamp,
  until: timestamp,
});
