import { missingScopes } from "../../shared/accounts/scopes.ts";
import { demoReadOnly, scopesMissing } from "../../shared/base/errors.ts";
import { hasEffects, type RouteKey, scopesOf } from "../routes.ts";
import type { Caller } from "./route.ts";

/**
 * Checks whether a key may call a route.
 * @throws 403 DEMO_READ_ONLY for a key of the demo workspace if the route changes something or
 * charges credits; 403 UNAUTHORIZED for a key that lacks a scope
 */
export function refuseCaller(key: RouteKey, caller: Pick<Caller, "demo" | "scopes">): void {
  if (caller.demo && hasEffects(key)) throw demoReadOnly();
  const missing = missingScopes(scopesOf(key), caller.scopes);
  if (missing.length > 0) throw scopesMissing(missing);
}
