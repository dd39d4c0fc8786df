/**
 * Returns the value of the environment variable `name`; undefined if `name` is undefined.
 * @throws Error if the variable is empty or not set
 */
export function secretFrom(
  name: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (name === undefined) return undefined;
  const secret = environment[name];
  if (!secret)
    throw new Error(
      `--secret-env: the environment variable ${name} must contain the secret, but it is empty or not set. Set the variable.`,
    );
  return secret;
}
