/** The roles of operators. Each role also has the permissions of the role before it. */
export const operatorRoles = ["read", "act", "break-glass"] as const;
/**
 * `read` shows data, `act` makes the ordinary changes of `npm run admin`, and `break-glass` restores
 * tables.
 */
export type OperatorRole = (typeof operatorRoles)[number];

/**
 * The IAM name of a role. It can be computed, so that an operator needs only the permission to assume
 * the role, and none to look it up.
 */
export const operatorRoleName = (stage: string, region: string, role: OperatorRole): string =>
  `RetailProductData-${stage}-${region}-operator-${role}`;

/** The log stream of all audit lines. */
export const auditLogStream = "changes";
