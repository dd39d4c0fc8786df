import { parseArgs } from "node:util";
import { didYouMean } from "../../shared/base/nearest.ts";
import { failureMessage } from "./failure.ts";

/** An option of a command, with its line in the help. */
interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
  /** True if a call may contain the option several times. */
  readonly multiple?: boolean;
  readonly default?: string | boolean | string[];
  /** The value as the help shows it, such as `<seconds>`. */
  readonly value?: string;
  /** True if every call needs the option. The usage then shows it. */
  readonly required?: boolean;
  readonly about: string;
}
/** Options by name, without `--`. */
export type OptionList = Readonly<Record<string, Option>>;

/** What a command accepts. Every command also accepts `--help`. */
export interface CommandLine<Options extends OptionList> {
  /** The words that start the command, such as `npm run costs`. */
  readonly name: string;
  readonly about: string;
  /**
   * The arguments in addition to the options, such as `<base URL>`. If it is absent, the command
   * accepts none.
   */
  readonly argument?: string;
  readonly options: Options;
  /** Arguments of typical calls; "" for a call without arguments. */
  readonly examples: readonly string[];
}

/** The values of a command's options by name. */
export type ValuesOf<Options extends OptionList> = ReturnType<
  typeof parseArgs<{ options: Options }>
>["values"];

interface Parsed<Options extends OptionList> {
  readonly values: ValuesOf<Options>;
  readonly positionals: readonly string[];
}

/** Runs a command with parsed arguments. Returns the exit code; no value means 0. */
export type Run<Options extends OptionList> = (parsed: Parsed<Options>) => Promise<number | void>;

const helpOption = { type: "boolean", short: "h", about: "prints this text" } as const;

/** The option `--json`, for programs that read the result. */
export const jsonOption = { type: "boolean", about: "prints the result as JSON" } as const;

/** Returns a call of a command as a user types it: the command `name` with the arguments `args`. */
export const callOf = (name: string, args: string): string => {
  if (args === "") return name;
  // npm passes only the arguments after `--`.
  const separator = name.startsWith("npm ") && !name.includes(" -- ") ? " -- " : " ";
  return `${name}${separator}${args}`;
};

const widthMax = 100;

/**
 * Breaks a text at spaces into lines of at most 100 characters, including the indent. Adds `indent`
 * to all lines except the first. A word that is longer than a line is not broken.
 */
export function wrap(text: string, indent: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (indent.length + longer.length <= widthMax) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].join(`\n${indent}`);
}

/**
 * Formats pairs of a name and a description as two aligned columns, at most 100 characters wide. A
 * long text is wrapped within its column.
 */
export function alignColumns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  const indent = " ".repeat(width + 4);
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${wrap(text, indent)}`);
}

/** Returns the lines of a command's help that describe its options, including `--help`. */
export const optionLines = (options: OptionList): readonly string[] =>
  alignColumns(
    Object.entries<Option>({ ...options, help: helpOption }).map(
      ([name, { value = "", short, about, default: standard }]) => [
        `--${name}${short === undefined ? "" : `, -${short}`} ${value}`.trimEnd(),
        typeof standard === "string" ? `${about} (default: ${standard})` : about,
      ],
    ),
  );

/** Returns the text of `--help` for a command: usage, options and examples. */
export function helpOf({
  name,
  about,
  argument = "",
  options,
  examples,
}: CommandLine<OptionList>): string {
  const required = Object.entries<Option>(options)
    .filter(([, option]) => option.required === true)
    .map(([option, { value = "" }]) => `--${option} ${value}`);
  return [
    ...about.split("\n").map((line) => wrap(line, "")),
    "",
    `Usage: ${callOf(name, [argument, ...required, "[options]"].join(" ").trimStart())}`,
    ...optionLines(options),
    "",
    "Examples:",
    ...examples.map((args) => `  ${callOf(name, args)}`),
    "",
  ].join("\n");
}

/**
 * Parses options and arguments. Returns `values` and `positionals`, like `parseArgs` of Node.js. An
 * error about an unknown option suggests the most similar option. Refuses a repeated option without
 * `multiple`, because `parseArgs` would ignore all of its values except the last.
 * @param allowPositionals true if the command accepts arguments that are not options
 * @throws Error whose message is for the user, in one or two sentences
 */
export function parseOptions<Options extends Readonly<Record<string, Omit<Option, "about">>>>(
  args: readonly string[],
  options: Options,
  allowPositionals = false,
) {
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals, tokens: true });
    refuseRepeated(parsed.tokens, options);
    return parsed;
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    const [, option = ""] = /'(-[^' ]+)/.exec(error.message) ?? [];
    if (error.code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") throw error;
    const known = [...new Set([...Object.keys(options), "help"])].map((name) => `--${name}`);
    throw new Error(
      `There is no option '${option}'.${didYouMean(option, known) || " See --help."}`,
      {
        cause: error,
      },
    );
  }
}

interface Token {
  readonly kind: string;
  readonly name?: string;
}

function refuseRepeated(
  tokens: readonly Token[],
  options: Readonly<Record<string, Pick<Option, "multiple">>>,
): void {
  const names = tokens.flatMap(({ kind, name }) => (kind === "option" && name ? [name] : []));
  const repeated = names.find(
    (name, n) => options[name]?.multiple !== true && names.indexOf(name) !== n,
  );
  if (repeated !== undefined) throw new Error(`--${repeated} is set more than once. Set it once.`);
}

/** Returns true if the arguments contain `--help` or `-h`. */
export const asksForHelp = (args: readonly string[]): boolean =>
  args.some((arg) => arg === "--help" || arg === "-h");

interface RunOptions {
  /** Exit code after an error. Default: 1. */
  readonly failureCode?: number;
  /**
   * When to end the process even if timers or servers still run. If it is absent, the process ends
   * when no timers or servers are left.
   */
  readonly exit?: "after the command" | "after an error";
}

/**
 * Runs a command with the arguments of the process, and sets the exit code. With `--help`, prints
 * the help. If the command fails, prints the error without its stack trace, and does not throw.
 */
export const runCommand = <Options extends OptionList>(
  commandLine: CommandLine<Options>,
  run: Run<Options>,
  options?: RunOptions,
): Promise<void> => runMain(() => runWith(process.argv.slice(2), commandLine, run), options);

/**
 * Parses arguments and runs a command with them. If the arguments ask for help, only prints the
 * help. Returns the exit code that `run` returns; 0 if it returns none.
 * @throws Error if an option is invalid, or the error of `run`
 */
export async function runWith<Options extends OptionList>(
  args: readonly string[],
  commandLine: CommandLine<Options>,
  run: Run<Options>,
): Promise<number> {
  if (asksForHelp(args)) {
    process.stdout.write(helpOf(commandLine));
    return 0;
  }
  const { options, argument } = commandLine;
  return (await run(parseOptions(args, options, argument !== undefined))) ?? 0;
}

/**
 * Runs `main`, the task of this process, and sets the exit code to its result. If `main` fails,
 * prints the error without its stack trace, and sets the exit code to `failureCode`.
 */
export async function runMain(
  main: () => Promise<number>,
  { failureCode = 1, exit }: RunOptions = {},
): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    process.stderr.write(`${failureMessage(error)}\n`);
    process.exitCode = failureCode;
    if (exit !== undefined) process.exit();
  }
  if (exit === "after the command") process.exit();
}
