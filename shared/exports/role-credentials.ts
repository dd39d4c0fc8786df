/** Credentials of an assumed role, valid until `expiresAt`. */
export interface TemporaryCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly expiresAt: Date;
}

/** A role to assume. */
export interface AssumedRole {
  readonly roleArn: string;
  readonly externalId: string;
  /** Region of the STS endpoint to call. */
  readonly region: string;
}

/**
 * Outcome of an attempt to assume a role. `reason` is an error code of AWS (such as `AccessDenied`)
 * or of the connection (such as `timeout`).
 */
export type AssumeOutcome =
  | { readonly outcome: "assumed"; readonly credentials: TemporaryCredentials }
  | { readonly outcome: "failed"; readonly reason: string };

/**
 * Assumes roles of customers for one hour. A failure of AWS is part of the result, not an
 * exception.
 */
export interface RoleCredentials {
  assume(role: AssumedRole): Promise<AssumeOutcome>;
}
