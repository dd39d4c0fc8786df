/** Keys that work for a while. */
export interface TemporaryCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly expiresAt: Date;
}

export interface AssumedRole {
  readonly roleArn: string;
  readonly externalId: string;
  /** Region whose endpoint is asked. */
  readonly region: string;
}

/** `reason` is a code of AWS (`AccessDenied`) or of the connection (`timeout`). */
export type AssumeOutcome =
  | { readonly outcome: "assumed"; readonly credentials: TemporaryCredentials }
  | { readonly outcome: "failed"; readonly reason: string };

/** Assumes roles of customers, for an hour. Never throws for what AWS answers. */
export interface RoleCredentials {
  assume(role: AssumedRole): Promise<AssumeOutcome>;
}
