/** The roles of operators, each of which may do what the one before may do. */
export const operatorRoles = ["read", "act", "break-glass"] as const;
/**
 * `read` shows data, `act` makes the ordinary changes of `npm run admin`, and `break-glass` restores
 * tables.
 */
export type OperatorRole = (typeof operatorRoles)[number];

/**
 * The name of a role, which is fixed, so that an operator needs no other permission than to assume
 * it.
 */
export const operatorRoleName = (stage: string, region: string, role: OperatorRole): string =>
  `RetailProductData-${stage}-${region}-operator-${role}`;

/** The log stream of all audit lines. */
export const auditLogStream = "changes";
