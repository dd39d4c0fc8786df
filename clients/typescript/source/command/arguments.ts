import { parseArgs } from "node:util";

/** A mistake in a command line. The message is for the user. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** An option of a command, with its text in the help. */
export interface Option {
  readonly type: "string" | "boolean";
  /** The placeholder of the value in the help, such as `<id>`. */
  readonly value?: string;
  readonly about: string;
}
/** The options that a command accepts, by name without `--`. */
export type Options = Readonly<Record<string, Option>>;
/** The values of the options in a command line, by name; undefined for an absent option. */
export type Values = Readonly<Record<string, string | boolean | undefined>>;

/**
 * Parses the arguments of a command.
 * @returns The option values, and in `words` the arguments that are not options.
 * @throws UsageError for an unknown or repeated option, and for a missing or unexpected value. For
 * an unknown option, the message suggests the most similar option.
 */
export function parse(
  args: readonly string[],
  options: Options,
): { readonly values: Values; readonly words: readonly string[] } {
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true, tokens: true });
    refuseRepeated(parsed.tokens);
    return { values: parsed.values, words: parsed.positionals };
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    const [, name] = /'(--?[^' ]+)/.exec(error.message) ?? [];
    if (error.code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION" || name === undefined)
      throw new UsageError(error.message, { cause: error });
    const known = Object.keys(options).map((option) => `--${option}`);
    throw new UsageError(
      `There is no option '${name}'.${suggestion(name, known) || " See rpd --help."}`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Refuses an option that appears more than once, because `parseArgs` would use only its last value.
 * @throws UsageError that names the first repeated option
 */
function refuseRepeated(
  tokens: readonly { readonly kind: string; readonly name?: string }[],
): void {
  const names = tokens.flatMap(({ kind, name }) => (kind === "option" && name ? [name] : []));
  const repeated = names.find((name, n) => names.indexOf(name) !== n);
  if (repeated !== undefined)
    throw new UsageError(`--${repeated} is set more than once. Set it once.`);
}

/**
 * Returns a suggestion for a misspelled word, such as ` Did you mean ...?`. Prefers a known name
 * whose first word is the misspelled word, such as `events tail` for `events`. Otherwise suggests
 * the most similar known name. Returns an empty string if no known name is similar.
 * @param known the names of the commands or options
 */
export function suggestion(word: string, known: readonly string[]): string {
  const longer = known.find((one) => one.startsWith(`${word} `));
  if (longer !== undefined) return ` Did you mean '${longer}'?`;
  const [nearest] = known
    .map((one) => ({ one, edits: editsBetween(word, one) }))
    .filter(({ one, edits }) => edits <= Math.ceil(Math.max(one.length, word.length) / 3))
    .toSorted((a, b) => a.edits - b.edits);
  return nearest === undefined ? "" : ` Did you mean '${nearest.one}'?`;
}

/**
 * Returns the Levenshtein distance of two words: the smallest number of letters to insert, remove
 * or replace.
 */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, n) => n);
  for (const [n, letter] of from.split("").entries()) {
    const next = [n + 1];
    for (const [m, other] of to.split("").entries()) {
      const replaced = (row[m] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[m + 1] ?? 0) + 1, (next[m] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** Returns the value of an option, or undefined if the option is absent. */
export const textOf = (values: Values, name: string): string | undefined => {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
};

/**
 * Returns the value of a required option.
 * @throws UsageError if the option is absent.
 */
export function required(values: Values, name: string): string {
  const value = textOf(values, name);
  if (value === undefined || value === "")
    throw new UsageError(`--${name} is required. Add it with a value.`);
  return value;
}

/**
 * Parses the value of an option as a whole number of 0 or more.
 * @param option The name of the option, for the error.
 * @param text The value.
 * @throws UsageError unless the value is a whole number of 0 or more.
 */
export function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isSafeInteger(number) || number < 0)
    throw new UsageError(`--${option} must be a whole number of 0 or more (got "${text}").`);
  return number;
}
