/** The roles of operators. Each role also has the permissions of the one before it. */
export const operatorRoles = ["read", "act", "break-glass"] as const;
/**
 * `read` shows data, `act` makes the ordinary changes of `npm run admin`, and `break-glass`
 * restores tables.
 */
export type OperatorRole = (typeof operatorRoles)[number];

/**
 * Returns the IAM name of an operator role of a stage in a region. The name depends only on the
 * arguments. An operator therefore needs permission only to assume the role, not to look it up.
 */
export const operatorRoleName = (stage: string, region: string, role: OperatorRole): string =>
  `RetailProductData-${stage}-${region}-operator-${role}`;

/** The log stream of all audit lines. */
export const auditLogStream = "changes";
