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
import { invalidChoiceMessage } from "../base/valid-values.ts";
import { lengthOf, visiblePattern, visibleText } from "../base/visible-text.ts";
import { urlLengthMax } from "../outgoing/url.ts";
import { type EventType, eventTypes } from "../events/event.ts";

/**
 * Why an endpoint is disabled: its `user` did it, its receiver is `gone` (answered 410), or it was
 * `failing` for five days.
 */
export const disabledReasons = ["user", "gone", "failing"] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** A registered receiver. Times are ISO 8601 UTC; secrets are sealed. */
export interface Endpoint {
  readonly id: string;
  readonly accountId: string;
  /** Normalised. */
  readonly url: string;
  /** The URL that it was registered with, normalised; null when an earlier release registered it. */
  readonly registeredUrl: string | null;
  readonly description: string | null;
  /** Types of the account-wide events it receives; null: every type. */
  readonly events: readonly EventType[] | null;
  readonly enabled: boolean;
  /** Null while it is enabled. */
  readonly disabledReason: DisabledReason | null;
  /**
   * When it was created, last enabled again, or given its URL, whichever is newest; another one each
   * time. What its receiver did before says nothing about it any more.
   */
  readonly receivingSince: string;
  readonly secret: string;
  readonly secretHint: string;
  /** The secret before a rotation with overlap, which signs too until `expiresAt`. */
  readonly previousSecret: { readonly sealed: string; readonly expiresAt: string } | null;
  readonly createdAt: string;
  /** Another one after every change, so it tells versions of the endpoint apart. */
  readonly updatedAt: string;
}

const descriptionMax = limits.webhookDescriptionLengthMax;

const urlField = pipe(
  string("'url' must be a string."),
  metadata({ format: "uri", pattern: "^[Hh][Tt][Tt][Pp][Ss]://[^/]", maxLength: urlLengthMax }),
  description("HTTPS, a public host, port 443 or 1024 to 65535; once per account."),
);
const descriptionField = nullable(
  pipe(
    string("'description' must be a string or null."),
    check(
      (text) => lengthOf(text) <= descriptionMax,
      `'description' must be at most ${descriptionMax} characters.`,
    ),
    visibleText("description"),
    metadata({ maxLength: descriptionMax, pattern: visiblePattern }),
  ),
);
const eventsField = nullable(
  pipe(
    array(
      picklist(eventTypes, ({ input }) => invalidChoiceMessage("An event type", eventTypes, input)),
      "'events' must be an array of event types or null.",
    ),
    description("Types of the events that name no endpoint; null: every type."),
    transform((types) => [...new Set(types)]),
  ),
);
const enabledField = pipe(
  boolean("'enabled' must be true or false."),
  description(
    "A disabled endpoint receives nothing. The service disables one whose receiver answers 410, or " +
      "fails for five days; `true` enables it again.",
  ),
);

/** Body of `POST /v1/webhook_endpoints`. The URL's own rules need a look at the network. */
export const newEndpointBody = object({
  url: urlField,
  description: optional(descriptionField, null),
  events: optional(eventsField, null),
  enabled: optional(enabledField, true),
});
export type NewEndpoint = InferOutput<typeof newEndpointBody>;

/** Body of `PATCH /v1/webhook_endpoints/{id}`: what is absent stays as it is. */
export const endpointPatchBody = object({
  url: optional(urlField),
  description: optional(descriptionField),
  events: optional(eventsField),
  enabled: optional(enabledField),
});
export type EndpointPatch = InferOutput<typeof endpointPatchBody>;

/** Body of `POST /v1/webhook_endpoints/{id}/rotate`; there need not be one. */
export const rotateBody = object({
  overlap: optional(
    pipe(
      boolean("'overlap' must be true or false."),
      description("Whether the replaced secret signs too for another 24 hours."),
    ),
    true,
  ),
});

/** The `updatedAt` of an endpoint that changes at `now`: later than before, whatever the clock says. */
export const changedAt = ({ updatedAt }: Endpoint, now: Date): string =>
  new Date(Math.max(now.getTime(), Date.parse(updatedAt) + 1)).toISOString();

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
