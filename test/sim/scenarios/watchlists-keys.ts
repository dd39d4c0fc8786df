import assert from "node:assert/strict";
import { limits } from "../../../shared/base/limits.ts";
import { type Acting, ask, bodyOf, expectStatus, type KnownKey } from "./watchlists-tenant.ts";

/** Creates, uses or revokes an API key. */
export async function actOnKeys(acting: Acting): Promise<void> {
  const { world, tenant } = acting;
  const key = tenant.keys.length === 0 ? undefined : world.random.pick(tenant.keys);
  if (key === undefined || world.random.isHit(0.4)) return newKey(acting);
  if (world.random.isHit(0.5)) return useKey(acting, key);
  return revoke(acting, key);
}

/**
 * Creates an API key. If the service refuses it, checks that the account may have reached the
 * limit.
 * @throws Error if a check fails
 */
export async function newKey(acting: Acting): Promise<void> {
  const { world, tenant } = acting;
  tenant.keysUnknown += 1;
  const { since, answer } = await ask(acting, {
    method: "POST",
    path: "/v1/api_keys",
    body: { name: `of ${acting.hand}` },
  });
  if (answer === undefined) return world.reached("the creation of a key had an unknown outcome");
  expectStatus(answer, [201, 409], "POST of a key");
  if (answer.status === 409) {
    // The service counts keys of simultaneous creations, too, so they can cause the refusal.
    const most = 1 + tenant.otherKeys + tenant.keysUnknown - 1 + keysSince(tenant.keys, since);
    assert.ok(most >= limits.apiKeysMax, `a key is refused with at most ${most} keys`);
    tenant.keysUnknown -= 1;
    return world.reached("a key beyond the limit was refused");
  }
  tenant.keysUnknown -= 1;
  const { id, key } = bodyOf(answer) as { readonly id: string; readonly key: string };
  tenant.keys.push({ id, key, revokedAt: undefined, revokes: 0 });
}

const keysSince = (keys: readonly KnownKey[], since: number): number =>
  keys.filter(({ revokedAt = Infinity }) => revokedAt > since).length;

/** Checks that a key is valid before it is revoked and invalid afterward. */
async function useKey(acting: Acting, known: KnownKey): Promise<void> {
  const { world } = acting;
  const request = { method: "GET", path: "/v1/account", key: known.key } as const;
  const { since, answer } = await ask(acting, request);
  if (answer === undefined) return;
  expectStatus(answer, [200, 401], "use of a key");
  if (answer.status === 401) {
    assert.ok(known.revokes > 0, `${known.id} was never revoked`);
    return world.reached("a call with a revoked key was refused");
  }
  assert.ok(
    !(known.revokedAt !== undefined && known.revokedAt < since),
    `${known.id} works after its revocation`,
  );
}

async function revoke(acting: Acting, known: KnownKey): Promise<void> {
  const { world, moments } = acting;
  if (world.random.isHit(0.1)) return revokeItself(acting, known);
  const isFirst = known.revokes === 0;
  known.revokes += 1;
  const path = `/v1/api_keys/${known.id}`;
  const { answer } = await ask(acting, { method: "DELETE", path });
  if (answer === undefined) return world.reached("a revocation had an unknown outcome");
  expectStatus(answer, [200, 404], path);
  if (answer.status === 404 && isFirst)
    assert.notEqual(world.faults.fired.length, 0, `${path}: 404 without faults`);
  known.revokedAt ??= moments.next();
  await useKey(acting, known);
}

async function revokeItself(acting: Acting, known: KnownKey): Promise<void> {
  const path = `/v1/api_keys/${known.id}`;
  const { answer } = await ask(acting, { method: "DELETE", path, key: known.key });
  if (answer !== undefined) expectStatus(answer, [409, 401], `${path} without other calls`);
}
