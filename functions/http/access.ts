import type { KeyOwner } from "../../shared/accounts/account-store.ts";
import { missingScopes } from "../../shared/accounts/scopes.ts";
import { demoReadOnly, scopesMissing, type ServiceError } from "../../shared/base/errors.ts";
import { hasEffects, type RouteKey, scopesOf } from "../routes.ts";

/**
 * Returns the error if a key may not call a route; undefined if the key may call it. The error is
 * 403 DEMO_READ_ONLY for a key of the demo workspace, if the route changes something or charges
 * credits. It is 403 UNAUTHORIZED for a key that lacks a scope.
 */
export function callerRefusal(
  key: RouteKey,
  { demo, scopes }: Pick<KeyOwner, "demo" | "scopes">,
): ServiceError | undefined {
  if (demo && hasEffects(key)) return demoReadOnly();
  const missing = missingScopes(scopesOf(key), scopes);
  return missing.length > 0 ? scopesMissing(missing) : undefined;
}
