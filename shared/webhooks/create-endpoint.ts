import type { RandomSource } from "../base/clock.ts";
import { conflict } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { limits } from "../base/limits.ts";
import type { SecretBox } from "../base/secret-box.ts";
import type { AddressPolicy } from "../outgoing/address-policy.ts";
import { urlTaken } from "./change-endpoint.ts";
import { type WebhookEndpoint, endpointSecretContext, type NewEndpoint } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import { requirePublicUrl } from "../outgoing/public-url.ts";
import type { Resolver } from "../outgoing/resolver.ts";
import type { OwnAddresses } from "../outgoing/url.ts";
import { newSecret, secretHint } from "./secret.ts";

export interface CreateEndpointDependencies {
  readonly endpoints: Pick<EndpointStore, "create">;
  readonly secrets: SecretBox;
  readonly resolver: Resolver;
  readonly policy: AddressPolicy;
  readonly random: RandomSource;
}

/** A request to create a webhook endpoint. */
export interface EndpointRequest {
  readonly accountId: string;
  readonly wanted: NewEndpoint;
  readonly now: Date;
  /** The addresses of this service. No endpoint may have one of them as its URL. */
  readonly own: OwnAddresses;
}

/** A webhook endpoint with its new signing secret. */
export interface EndpointWithSecret {
  readonly endpoint: WebhookEndpoint;
  /** Signing secret in plain text. No later response contains it. */
  readonly secret: string;
}

/**
 * Creates a webhook endpoint with a new signing secret. Only this call returns the secret in plain
 * text.
 * @throws 400 if the URL is refused or another endpoint has it; 409 if the account has the maximum
 * number of endpoints; 503 if concurrent requests keep changing the rows of the account
 */
export async function createEndpoint(
  { accountId, wanted, now, own }: EndpointRequest,
  { endpoints, secrets, resolver, policy, random }: CreateEndpointDependencies,
): Promise<EndpointWithSecret> {
  const rules = { policy, own };
  const url = await requirePublicUrl({ param: "url", value: wanted.url }, rules, resolver);
  const id = newId("webhookEndpoint", now, random);
  const secret = newSecret(random);
  const endpoint: WebhookEndpoint = {
    ...wanted,
    id,
    accountId,
    url,
    registeredUrl: url,
    secret: await secrets.seal(secret, endpointSecretContext(accountId, id)),
    secretHint: secretHint(secret),
    previousSecret: null,
    requestsAtOnce: null,
    disabledReason: wanted.enabled ? null : "user",
    receivingSince: now.toISOString(),
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  };
  const { outcome } = await endpoints.create(accountId, endpoint);
  if (outcome === "url_taken") throw urlTaken();
  if (outcome === "limit_reached") {
    throw conflict(
      `The account has ${limits.webhookEndpointsMax} webhook endpoints, which is the maximum. ` +
        "Delete one with DELETE /v1/webhook_endpoints/{id}, then repeat the call.",
    );
  }
  return { endpoint, secret };
}
