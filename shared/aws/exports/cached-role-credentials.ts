import type { Clock } from "../../base/clock.ts";
import type {
  AssumedRole,
  AssumeOutcome,
  RoleCredentials,
} from "../../exports/role-credentials.ts";

/**
 * Cached credentials are not used in their last five minutes, so that an attempt ends before they
 * expire.
 */
const marginMs = 5 * 60 * 1_000;
const rolesMax = 1_000;

/**
 * Wraps `roles` with a cache of the credentials of up to 1,000 roles. Uses cached credentials until
 * five minutes before they expire. Does not cache failures.
 */
export function cacheRoleCredentials(roles: RoleCredentials, clock: Clock): RoleCredentials {
  const cache = new Map<string, Extract<AssumeOutcome, { outcome: "assumed" }>>();
  return {
    async assume(role) {
      const name = nameOf(role);
      const cached = cache.get(name);
      const until = cached === undefined ? 0 : cached.credentials.expiresAt.getTime() - marginMs;
      if (cached !== undefined && until > clock.now().getTime()) return cached;
      const assumed = await roles.assume(role);
      if (cache.size >= rolesMax) cache.clear();
      if (assumed.outcome === "assumed") cache.set(name, assumed);
      return assumed;
    },
  };
}

const nameOf = ({ roleArn, externalId, region }: AssumedRole): string =>
  JSON.stringify([roleArn, externalId, region]);
