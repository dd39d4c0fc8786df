/** The place where a secret is stored. */
export type SecretReference =
  | { readonly kind: "secret"; readonly arn: string }
  /** An SSM parameter by its name or ARN. */
  | { readonly kind: "parameter"; readonly name: string }
  /** An environment variable, written as `env:NAME`. For a developer's machine only. */
  | { readonly kind: "variable"; readonly name: string };

/** The reference of a secret that an adapter uses. */
export interface SecretUse {
  readonly reference: string;
  /** The customer-managed KMS key that encrypts the secret; absent for an AWS managed key. */
  readonly kmsKeyArn?: string | undefined;
}

const secretArn = /^arn:aws[\w-]*:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]{1,512}$/;
const parameterArn = /^arn:aws[\w-]*:ssm:[\w-]+:\d{12}:parameter\/[\w./-]{1,1011}$/;
const parameterName = /^\/[\w./-]{1,1010}$/;
const variable = /^env:([A-Z_][A-Z0-9_]*)$/i;

/**
 * Parses a reference to a secret: an ARN of Secrets Manager, the name or ARN of an SSM parameter,
 * or `env:NAME`. Returns null for any other string.
 */
export function secretReference(text: string): SecretReference | null {
  if (secretArn.test(text)) return { kind: "secret", arn: text };
  if (parameterArn.test(text) || parameterName.test(text)) return { kind: "parameter", name: text };
  const name = variable.exec(text)?.[1];
  return name === undefined ? null : { kind: "variable", name };
}
