/** Options that the check and the reference server have in common. */

/** What a variable holds; undefined where none is named. @throws Error when it is empty or not set */
export function secretFrom(
  name: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (name === undefined) return undefined;
  const secret = environment[name];
  if (!secret) throw new Error(`--secret-env: the variable ${name} is empty or not set`);
  return secret;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** @throws Error when the text is no whole number in the range */
export function wholeNumberFrom(option: string, text: string, { from, to }: Range): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < from || value > to) {
    throw new Error(`${option} is a whole number from ${from} to ${to}, not "${text}"`);
  }
  return value;
}

/** Runs a command; what is wrong with its options goes to stderr, with exit code 2. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  await command().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  });
}
