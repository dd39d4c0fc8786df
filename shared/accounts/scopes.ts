/**
 * The scopes of an API key: what its calls may do. The table in `functions/routes.ts` contains the
 * scopes that each route needs.
 */
export const scopes = ["read", "spend", "write"] as const;
export type Scope = (typeof scopes)[number];

/** Returns the required scopes that a key with the scopes `held` does not have. */
export const missingScopes = (
  required: readonly Scope[],
  held: readonly Scope[],
): readonly Scope[] => required.filter((scope) => !held.includes(scope));

/** Returns true if the list contains every scope. */
export const areAllScopes = (held: readonly Scope[]): boolean =>
  missingScopes(scopes, held).length === 0;
