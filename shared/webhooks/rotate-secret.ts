import type { Changed } from "../base/after-change.ts";
import type { RandomSource } from "../base/clock.ts";
import { limits } from "../base/limits.ts";
import type { SecretBox } from "../base/secret-box.ts";
import { changeEndpoint } from "./change-endpoint.ts";
import type { EndpointWithSecret } from "./create-endpoint.ts";
import { nextUpdatedAt, type WebhookEndpoint, endpointSecretContext } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import { type EndpointRef, existingEndpoint } from "./existing.ts";
import { newSecret, secretHint } from "./secret.ts";

export interface RotateSecretDependencies {
  readonly endpoints: Pick<EndpointStore, "get" | "replace">;
  readonly secrets: SecretBox;
  readonly random: RandomSource;
}

export interface RotationRequest extends EndpointRef {
  /** True if requests are also signed with the replaced secret for another 24 hours. */
  readonly overlap: boolean;
  readonly now: Date;
}

/**
 * Replaces the signing secret of an endpoint by a new secret, and returns the endpoint and the new
 * secret in plain text. Requests are signed with the new secret immediately. With `overlap`, they
 * are also signed with the replaced secret for 24 hours. Requests are no longer signed with any
 * older secret (specification, section "Webhook endpoints").
 * @throws 404 NOT_FOUND for an unknown endpoint; 503 UNAVAILABLE after too many conflicts
 */
export async function rotateSecret(
  request: RotationRequest,
  { endpoints, secrets, random }: RotateSecretDependencies,
): Promise<EndpointWithSecret> {
  const { accountId, endpointId, overlap, now } = request;
  await existingEndpoint(request, endpoints);
  const secret = newSecret(random);
  const sealed = await secrets.seal(secret, endpointSecretContext(accountId, endpointId));
  const expiresAt = new Date(now.getTime() + limits.secretOverlapSeconds * 1_000).toISOString();
  const rotate = async (before: WebhookEndpoint): Promise<Changed<WebhookEndpoint>> => {
    // An earlier attempt of this write took effect, but its response was lost. Another write would
    // store the new secret as the replaced one, and the receiver's current secret would be lost.
    if (before.secret === sealed) return "unchanged";
    return {
      ...before,
      secret: sealed,
      secretHint: secretHint(secret),
      previousSecret: overlap ? { sealed: before.secret, expiresAt } : null,
      updatedAt: nextUpdatedAt(before, now),
    };
  };
  return { endpoint: await changeEndpoint(request, rotate, endpoints), secret };
}
