import * as v from "valibot";
import { listOf, timestamp } from "../base/wire-schema.ts";

/** A webhook endpoint as answers show it (specification, section "Webhook endpoint"). */
export const webhookEndpointSchema = v.object({
  id: v.pipe(v.string(), v.description("Begins with we_.")),
  object: v.literal("webhook_endpoint"),
  url: v.pipe(v.string(), v.description("Normalised.")),
  description: v.nullable(v.string()),
  events: v.nullable(
    v.pipe(
      v.array(v.string()),
      v.description("Types of the events that name no endpoint; null: every type."),
    ),
  ),
  enabled: v.boolean(),
  secret_hint: v.pipe(v.string(), v.description("The secret's last four characters.")),
  previous_secret_expires_at: v.nullable(
    v.pipe(timestamp, v.description("When the secret before the last rotation stops signing.")),
  ),
  created_at: timestamp,
  updated_at: timestamp,
});

/** 200 of `GET /v1/webhook_endpoints`. */
export const webhookEndpointsResponse = listOf(webhookEndpointSchema);

/** 201 of `POST /v1/webhook_endpoints`, and 200 of a rotation. */
export const webhookEndpointWithSecretSchema = v.object({
  ...webhookEndpointSchema.entries,
  secret: v.pipe(v.string(), v.description("The signing secret; shown in this answer only.")),
});
