/**
 * The scopes of an API key: what its calls may do. The table in `functions/routes.ts` contains the
 * scopes that each route needs.
 */
export const scopes = ["read", "spend", "write"] as const;
export type Scope = (typeof scopes)[number];

/** Returns the scopes in `required` that are not in `held`, the scopes of a key. */
export const missingScopes = (
  required: readonly Scope[],
  held: readonly Scope[],
): readonly Scope[] => required.filter((scope) => !held.includes(scope));

/** Returns true if a key with the scopes `held` has every scope of the API. */
export const areAllScopes = (held: readonly Scope[]): boolean =>
  missingScopes(scopes, held).length === 0;
