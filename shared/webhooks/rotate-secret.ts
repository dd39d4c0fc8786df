import type { Chance } from "../base/clock.ts";
import { limits } from "../base/limits.ts";
import type { SecretBox } from "../base/secret-box.ts";
import { changeEndpoint } from "./change-endpoint.ts";
import type { EndpointWithSecret } from "./create-endpoint.ts";
import { changedAt, type Endpoint, endpointSecretContext } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import { type EndpointRef, existingEndpoint } from "./existing.ts";
import { newSecret, secretHint } from "./secret.ts";

export interface RotateSecretDependencies {
  readonly endpoints: Pick<EndpointStore, "get" | "replace">;
  readonly secrets: SecretBox;
  readonly chance: Chance;
}

export interface RotationRequest extends EndpointRef {
  /** Whether the replaced secret signs too for another 24 hours. */
  readonly overlap: boolean;
  readonly now: Date;
}

/**
 * Gives an endpoint a new secret, which signs at once. Of the old ones at most the one that it
 * replaces goes on signing (specification, section "Webhook endpoints").
 * @throws 404 NOT_FOUND for an unknown endpoint.
 */
export async function rotateSecret(
  request: RotationRequest,
  { endpoints, secrets, chance }: RotateSecretDependencies,
): Promise<EndpointWithSecret> {
  const { accountId, endpointId, overlap, now } = request;
  await existingEndpoint(request, endpoints);
  const secret = newSecret(chance);
  const sealed = await secrets.seal(secret, endpointSecretContext(accountId, endpointId));
  const expiresAt = new Date(now.getTime() + limits.secretOverlapSeconds * 1_000).toISOString();
  const rotate = async (before: Endpoint): Promise<Endpoint> => {
    // A write whose answer was lost has taken effect: a second one would drop the replaced secret.
    if (before.secret === sealed) return before;
    return {
      ...before,
      secret: sealed,
      secretHint: secretHint(secret),
      previousSecret: overlap ? { sealed: before.secret, expiresAt } : null,
      updatedAt: changedAt(before, now),
    };
  };
  return { endpoint: await changeEndpoint(request, rotate, endpoints), secret };
}
