import { parseOptions } from "../../tools/command-line/command-line.ts";

/**
 * Parses the options of a bench. Each option has a default.
 * @throws Error for an unknown option
 */
export function readOptions<Name extends string>(
  defaults: Readonly<Record<Name, string>>,
): Readonly<Record<Name, string>> {
  const options = Object.fromEntries(
    Object.entries<string>(defaults).map(
      ([name, value]) => [name, { type: "string", default: value }] as const,
    ),
  );
  const args = process.argv.slice(3).filter((arg) => arg !== "--json");
  return parseOptions(args, options).values as Readonly<Record<Name, string>>;
}

/** @throws Error if the text is not a number of 0 or more */
export function number(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
  throw new Error(`--${name} must be a number of 0 or more (got "${text}").`);
}

/** @throws Error if the text is not a whole number of 1 or more */
export function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new Error(`--${name} must be a whole number of 1 or more (got "${text}").`);
}
