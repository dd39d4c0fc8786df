/** Where a secret is kept. */
export type SecretReference =
  | { readonly kind: "secret"; readonly arn: string }
  /** A parameter by its name or ARN. */
  | { readonly kind: "parameter"; readonly name: string }
  /** A variable of the process: on a developer's machine only. */
  | { readonly kind: "variable"; readonly name: string };

export interface SecretUse {
  readonly reference: string;
  /** The key that seals it, where it is one of the deployer's. */
  readonly kmsKeyArn?: string | undefined;
}

const secretArn = /^arn:aws[\w-]*:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]{1,512}$/;
const parameterArn = /^arn:aws[\w-]*:ssm:[\w-]+:\d{12}:parameter\/[\w./-]{1,1011}$/;
const parameterName = /^\/[\w./-]{1,1010}$/;
const variable = /^env:([A-Z_][A-Z0-9_]*)$/i;

/** Null for what refers to no secret. */
export function secretReference(text: string): SecretReference | null {
  if (secretArn.test(text)) return { kind: "secret", arn: text };
  if (parameterArn.test(text) || parameterName.test(text)) return { kind: "parameter", name: text };
  const name = variable.exec(text)?.[1];
  return name === undefined ? null : { kind: "variable", name };
}
