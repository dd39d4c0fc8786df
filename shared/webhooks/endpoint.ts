import {
  array,
  boolean,
  description,
  type InferOutput,
  maxLength,
  nullable,
  object,
  optional,
  picklist,
  pipe,
  string,
} from "valibot";
import { limits } from "../base/limits.ts";
import type { SecretContext } from "../base/secret-box.ts";
import { type EventType, eventTypes } from "../events/event.ts";

/** A registered receiver. Times are ISO 8601 UTC; secrets are sealed. */
export interface Endpoint {
  readonly id: string;
  readonly accountId: string;
  /** Normalised. */
  readonly url: string;
  readonly description: string | null;
  /** Types of the account-wide events it receives; null: every type. */
  readonly events: readonly EventType[] | null;
  readonly enabled: boolean;
  readonly secret: string;
  readonly secretHint: string;
  /** The secret before a rotation with overlap, which signs too until `expiresAt`. */
  readonly previousSecret: { readonly sealed: string; readonly expiresAt: string } | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const descriptionMax = limits.webhookDescriptionLengthMax;

/** Body of `POST /v1/webhook_endpoints`. The URL's own rules need a look at the network. */
export const newEndpointBody = object({
  url: pipe(
    string("'url' must be a string."),
    description("HTTPS, a public host, port 443 or 1024 to 65535; once per account."),
  ),
  description: optional(
    nullable(
      pipe(
        string("'description' must be a string or null."),
        maxLength(descriptionMax, `'description' must be at most ${descriptionMax} characters.`),
      ),
    ),
    null,
  ),
  events: optional(
    nullable(
      pipe(
        array(
          picklist(eventTypes, `Unknown event type. Known types: ${eventTypes.join(", ")}.`),
          "'events' must be an array of event types or null.",
        ),
        description("Types of the events that name no endpoint; null: every type."),
      ),
    ),
    null,
  ),
  enabled: optional(
    pipe(
      boolean("'enabled' must be true or false."),
      description("A disabled endpoint receives nothing."),
    ),
    true,
  ),
});
export type NewEndpoint = InferOutput<typeof newEndpointBody>;

/** True when the endpoint receives events of this type that name no endpoint. */
export const isSubscribed = (endpoint: Endpoint, type: EventType): boolean =>
  endpoint.enabled && (endpoint.events === null || endpoint.events.includes(type));

/** Sealed secrets that sign at `now`, the current one first. */
export function signingSecrets(endpoint: Endpoint, now: Date): readonly string[] {
  const previous = previousSecretAt(endpoint, now);
  return previous === null ? [endpoint.secret] : [endpoint.secret, previous.sealed];
}

/** The previous secret while it still signs. */
export function previousSecretAt(endpoint: Endpoint, now: Date): Endpoint["previousSecret"] {
  const previous = endpoint.previousSecret;
  return previous !== null && Date.parse(previous.expiresAt) > now.getTime() ? previous : null;
}

/** The context under which an endpoint's secrets are sealed. */
export const endpointSecretContext = (accountId: string, endpointId: string): SecretContext => ({
  account: accountId,
  record: endpointId,
  field: "secret",
});
