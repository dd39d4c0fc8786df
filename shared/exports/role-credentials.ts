/** Credentials of an assumed role. */
export interface TemporaryCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly expiresAt: Date;
}

export interface AssumedRole {
  readonly roleArn: string;
  readonly externalId: string;
  /** Region of the STS endpoint to call. */
  readonly region: string;
}

/** `reason` is a code of AWS (`AccessDenied`) or of the connection (`timeout`). */
export type AssumeOutcome =
  | { readonly outcome: "assumed"; readonly credentials: TemporaryCredentials }
  | { readonly outcome: "failed"; readonly reason: string };

/** Assumes roles of customers for one hour. Returns errors of AWS; never throws for them. */
export interface RoleCredentials {
  assume(role: AssumedRole): Promise<AssumeOutcome>;
}
