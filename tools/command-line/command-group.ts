import { didYouMean } from "../../shared/base/nearest.ts";
import {
  alignColumns,
  asksForHelp,
  callOf,
  type CommandLine,
  optionLines,
  type OptionList,
  parseOptions,
  type Run,
  runMain,
  runWith,
  wrap,
} from "./command-line.ts";

/** A command that consists of other commands, such as `npm run bench`. */
export interface CommandGroup<Command extends { readonly about: string }> {
  readonly name: string;
  readonly about: string;
  /** The word for one command of the group, such as `bench`. */
  readonly noun: string;
  /** The commands by name. A name has one word or more. */
  readonly commands: Readonly<Record<string, Command>>;
  /** The options that every command accepts. */
  readonly options: OptionList;
  /** Paragraphs that the help shows between the options and the examples. */
  readonly notes?: readonly string[];
  readonly examples: readonly string[];
}

/** A command of a group. */
export interface Subcommand {
  readonly about: string;
  /** Runs the command and returns its exit code. */
  readonly run: (args: readonly string[]) => Promise<number>;
}

/**
 * Creates a command of a group from its command line (name, options, examples) and the function
 * that runs it.
 */
export const subcommand = <Options extends OptionList>(
  commandLine: CommandLine<Options>,
  run: Run<Options>,
): Subcommand => ({
  about: commandLine.about,
  run: (args) => runWith(args, commandLine, run),
});

/** Returns the text of `--help` for a group: its commands, their common options, and examples. */
export const groupHelpOf = ({
  name,
  about,
  noun,
  commands,
  options,
  notes = [],
  examples,
}: CommandGroup<{ readonly about: string }>): string =>
  [
    wrap(about, ""),
    "",
    `Usage: ${callOf(name, `<${noun}> [options]`)}`,
    ...alignColumns(Object.entries(commands).map(([command, one]) => [command, one.about])),
    "",
    `Options of every ${noun}:`,
    ...optionLines(options),
    "",
    ...notes.flatMap((note) => [wrap(note, ""), ""]),
    "Examples:",
    ...examples.map((args) => `  ${callOf(name, args)}`),
    "",
  ].join("\n");

/**
 * Returns the command of a group with the given name.
 * @throws Error for an unknown name; the message suggests the most similar command
 */
export function commandNamed<Command extends { readonly about: string }>(
  command: string,
  { name, noun, commands }: CommandGroup<Command>,
): Command {
  const foundCommand = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (foundCommand !== undefined) return foundCommand;
  throw new Error(
    `There is no ${noun} "${command}".${didYouMean(command, Object.keys(commands))} Run ${name} for a list.`,
  );
}

/**
 * Runs the command of the group that the first argument of the process names, and then ends the
 * process. Without an argument, prints the help of the group and exits with 1; with `--help`, exits
 * with 0. For an unknown command or option, suggests the most similar one and exits with 1.
 */
export const runCommandGroup = (group: CommandGroup<Subcommand>): Promise<void> =>
  runMain(
    async () => {
      const [name, ...args] = process.argv.slice(2);
      if (name === undefined || asksForHelp([name])) {
        process.stdout.write(groupHelpOf(group));
        return name === undefined ? 1 : 0;
      }
      if (name.startsWith("-")) {
        parseOptions([name], group.options);
        throw new Error(
          `The first argument must be a ${group.noun} (got "${name}"). Write options after the ${group.noun}.`,
        );
      }
      return commandNamed(name, group).run(args);
    },
    { exit: "after the command" },
  );
