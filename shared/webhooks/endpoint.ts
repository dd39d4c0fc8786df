import {
  array,
  boolean,
  check,
  description,
  type InferOutput,
  metadata,
  nullable,
  object,
  optional,
  picklist,
  pipe,
  string,
  transform,
} from "valibot";
import { limits } from "../base/limits.ts";
import type { SecretContext } from "../base/secret-box.ts";
import { addRefusedType, addRefusedValue } from "../base/shown-value.ts";
import { invalidChoiceMessage } from "../base/valid-values.ts";
import { lengthOf, visiblePattern, visibleText } from "../base/visible-text.ts";
import { urlLengthMax } from "../outgoing/url.ts";
import { type EventType, eventTypes } from "../events/event.ts";

/**
 * Reason why an endpoint is disabled. `user`: a client disabled it. `gone`: the receiver returned
 * 410. `failing`: a delivery exhausted its retries after five days without a success.
 */
export const disabledReasons = ["user", "gone", "failing"] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** A webhook endpoint as stored. Times are ISO 8601 UTC; secrets are encrypted. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly accountId: string;
  /** Normalized URL of the receiver. */
  readonly url: string;
  /** Normalized URL with which the endpoint was created; null if an earlier release created it. */
  readonly registeredUrl: string | null;
  readonly description: string | null;
  /**
   * Event types that the endpoint receives from watchlists without a separate endpoint; null for
   * all types.
   */
  readonly events: readonly EventType[] | null;
  readonly enabled: boolean;
  /** Reason why the endpoint is disabled; null while it is enabled. */
  readonly disabledReason: DisabledReason | null;
  /**
   * Time at which the endpoint was created, was last enabled, or got its current URL, whichever is
   * latest. Each of these changes sets a new value. The endpoint's health ignores the results of
   * earlier attempts.
   */
  readonly receivingSince: string;
  readonly secret: string;
  readonly secretHint: string;
  /**
   * The secret that a rotation with overlap replaced. Requests are also signed with it until
   * `expiresAt`.
   */
  readonly previousSecret: { readonly sealed: string; readonly expiresAt: string } | null;
  /**
   * Maximum number of concurrent requests that an operator has set for this endpoint; null for the
   * default (`limits.webhookRequestsAtOnce`).
   */
  readonly requestsAtOnce: number | null;
  readonly createdAt: string;
  /**
   * Time of the last change. No two changes have the same time, so the time identifies a version of
   * the endpoint.
   */
  readonly updatedAt: string;
}

const descriptionMax = limits.webhookDescriptionLengthMax;

const urlField = pipe(
  string(addRefusedType("'url' must be a string.")),
  metadata({ format: "uri", pattern: "^[Hh][Tt][Tt][Pp][Ss]://[^/]", maxLength: urlLengthMax }),
  description(
    "An HTTPS URL with a public host and port 443 or 1024 to 65535. No two endpoints of an account have " +
      "the same URL.",
  ),
);
const descriptionField = nullable(
  pipe(
    string(addRefusedValue("'description' must be a string or null.")),
    check(
      (text) => lengthOf(text) <= descriptionMax,
      ({ input }) =>
        `'description' must have at most ${descriptionMax} characters (got ${lengthOf(input)}). Shorten it.`,
    ),
    visibleText("description"),
    metadata({ maxLength: descriptionMax, pattern: visiblePattern }),
  ),
);
const eventsField = nullable(
  pipe(
    array(
      picklist(eventTypes, ({ input }) => invalidChoiceMessage("An event type", eventTypes, input)),
      addRefusedValue("'events' must be an array of event types or null."),
    ),
    description(
      "Event types to receive from watchlists that name no endpoint. Null if it receives every type.",
    ),
    transform((types) => [...new Set(types)]),
  ),
);
const enabledField = pipe(
  boolean(addRefusedValue("'enabled' must be true or false.")),
  description(
    "A disabled endpoint receives nothing. The service disables an endpoint whose receiver returns 410, or " +
      "fails for five days; `true` enables it again.",
  ),
);

/**
 * Body of `POST /v1/webhook_endpoints`. `requirePublicUrl` checks the URL later, because this needs
 * DNS.
 */
export const newEndpointBody = object({
  url: urlField,
  description: optional(descriptionField, null),
  events: optional(eventsField, null),
  enabled: optional(enabledField, true),
});
export type NewEndpoint = InferOutput<typeof newEndpointBody>;

/** Body of `PATCH /v1/webhook_endpoints/{id}`. Fields that are absent stay unchanged. */
export const endpointPatchBody = object({
  url: optional(urlField),
  description: optional(descriptionField),
  events: optional(eventsField),
  enabled: optional(enabledField),
});
export type EndpointPatch = InferOutput<typeof endpointPatchBody>;

/** Body of `POST /v1/webhook_endpoints/{id}/rotate`. Clients may omit the body. */
export const rotateBody = object({
  overlap: optional(
    pipe(
      boolean(addRefusedValue("'overlap' must be true or false.")),
      description("True: the replaced secret also signs for another 24 hours."),
    ),
    true,
  ),
});

/**
 * Returns the value of `updatedAt` for a change of an endpoint: `now`, or 1 ms after the current
 * value if `now` is not later than that value.
 */
export const nextUpdatedAt = ({ updatedAt }: WebhookEndpoint, now: Date): string =>
  new Date(Math.max(now.getTime(), Date.parse(updatedAt) + 1)).toISOString();

/**
 * Returns true if an endpoint receives events of this type from watchlists that name no endpoint:
 * the endpoint is enabled, and its filter is null or includes the type.
 */
export const isSubscribed = (endpoint: WebhookEndpoint, type: EventType): boolean =>
  endpoint.enabled && (endpoint.events === null || endpoint.events.includes(type));

/**
 * Returns the maximum number of concurrent requests to an endpoint. For a deleted endpoint (null),
 * returns the default.
 */
export const requestsAtOnceTo = (endpoint: WebhookEndpoint | null): number =>
  endpoint?.requestsAtOnce ?? limits.webhookRequestsAtOnce.default;

/**
 * Returns the encrypted secrets with which requests are signed at `now`. The current secret is
 * first.
 */
export function signingSecrets(endpoint: WebhookEndpoint, now: Date): readonly string[] {
  const previous = previousSecretAt(endpoint, now);
  return previous === null ? [endpoint.secret] : [endpoint.secret, previous.sealed];
}

/**
 * Returns the secret that was replaced, if requests are still signed with it at `now`; otherwise
 * null.
 */
export function previousSecretAt(
  endpoint: WebhookEndpoint,
  now: Date,
): WebhookEndpoint["previousSecret"] {
  const previous = endpoint.previousSecret;
  return previous !== null && Date.parse(previous.expiresAt) > now.getTime() ? previous : null;
}

/**
 * Returns the encryption context of an endpoint's secrets. A secret can be decrypted only with the
 * context with which it was encrypted.
 */
export const endpointSecretContext = (accountId: string, endpointId: string): SecretContext => ({
  account: accountId,
  record: endpointId,
  field: "secret",
});
