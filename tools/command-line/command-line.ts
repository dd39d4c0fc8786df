import { parseArgs } from "node:util";
import { didYouMean } from "../../shared/base/nearest.ts";
import { failureMessage } from "./failure.ts";

/** An option of a command, with its line in the help. */
interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
  readonly multiple?: boolean;
  readonly default?: string | boolean | string[];
  /** The value as the help shows it, such as `<seconds>`. */
  readonly value?: string;
  readonly about: string;
}
type OptionList = Readonly<Record<string, Option>>;

/** What a command accepts. Every command also accepts `--help`. */
export interface CommandLine<Options extends OptionList> {
  /** The words that start the command, such as `npm run costs`. */
  readonly name: string;
  readonly about: string;
  /** The arguments beside the options, such as `<base URL>`. Absent: none. */
  readonly argument?: string;
  readonly options: Options;
  /** Arguments of typical calls; "" for a call without arguments. */
  readonly examples: readonly string[];
}

interface Parsed<Options extends OptionList> {
  readonly values: ReturnType<typeof parseArgs<{ options: Options }>>["values"];
  readonly positionals: readonly string[];
}

const helpOption = { type: "boolean", short: "h", about: "prints this text" } as const;

/** The option for a result that a program reads. */
export const jsonOption = { type: "boolean", about: "prints the result as JSON" } as const;

/** Returns the call of a command with arguments, as a user types it. */
const callOf = (name: string, args: string): string => {
  if (args === "") return name;
  return name.startsWith("npm ") ? `${name} -- ${args}` : `${name} ${args}`;
};

/** Returns the help of a command: usage, options and examples. */
export function helpOf({
  name,
  about,
  argument = "",
  options,
  examples,
}: CommandLine<OptionList>): string {
  const lines = Object.entries<Option>({ ...options, help: helpOption }).map(
    ([option, { value = "", short, about: effect, default: standard }]) => [
      `--${option}${short === undefined ? "" : `, -${short}`} ${value}`.trimEnd(),
      typeof standard === "string" ? `${effect} (default: ${standard})` : effect,
    ],
  );
  const width = Math.max(...lines.map(([option = ""]) => option.length));
  return [
    about,
    "",
    `Usage: ${callOf(name, `${argument} [options]`.trimStart())}`,
    ...lines.map(([option = "", effect = ""]) => `  ${option.padEnd(width)}  ${effect}`),
    "",
    "Examples:",
    ...examples.map((args) => `  ${callOf(name, args)}`),
    "",
  ].join("\n");
}

/**
 * Parses options and arguments. An error about an unknown option names the nearest one.
 * @throws Error in one sentence or two, for the user
 */
export function parseOptions<Options extends Readonly<Record<string, Omit<Option, "about">>>>(
  args: readonly string[],
  options: Options,
  allowPositionals = false,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals });
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    const [, option = ""] = /'(-[^' ]+)/.exec(error.message) ?? [];
    if (error.code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") throw error;
    const known = [...new Set([...Object.keys(options), "help"])].map((name) => `--${name}`);
    throw new Error(`There is no option '${option}'.${didYouMean(option, known)}`, {
      cause: error,
    });
  }
}

export const asksForHelp = (args: readonly string[]): boolean =>
  args.some((arg) => arg === "--help" || arg === "-h");

interface RunOptions {
  /** Exit code after an error. Default: 1. */
  readonly failureCode?: number;
  /** Ends the process even if timers or servers are left. Default: never. */
  readonly exit?: "after the command" | "after an error";
}

/**
 * Runs a command with the arguments of the process. Prints the help on request, and an error without
 * its stack trace. `run` returns the exit code, if it is not 0.
 */
export async function runCommand<Options extends OptionList>(
  commandLine: CommandLine<Options>,
  run: (parsed: Parsed<Options>) => Promise<number | void>,
  { failureCode = 1, exit }: RunOptions = {},
): Promise<void> {
  const args = process.argv.slice(2);
  if (asksForHelp(args)) {
    process.stdout.write(helpOf(commandLine));
    return;
  }
  try {
    const { options, argument } = commandLine;
    process.exitCode = (await run(parseOptions(args, options, argument !== undefined))) ?? 0;
  } catch (error) {
    process.stderr.write(`${failureMessage(error)}\n`);
    process.exitCode = failureCode;
    if (exit !== undefined) process.exit();
  }
  if (exit === "after the command") process.exit();
}
