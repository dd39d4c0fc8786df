import { SQSClient } from "@aws-sdk/client-sqs";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { didYouMean } from "../../shared/base/nearest.ts";
import { parseOptions } from "../../tools/command-line/command-line.ts";
import { failureMessage } from "../../tools/command-line/failure.ts";
import { progressOf } from "../../tools/command-line/progress.ts";
import { accountCommands } from "./accounts.ts";
import {
  type Command,
  commandOptions,
  type Commands,
  commonOptions,
  type Values,
  type WorldCommand,
} from "./command.ts";
import { confirm, type Terminal } from "./confirm.ts";
import { creditCommands } from "./credits.ts";
import { deadLetterCommands } from "./dead-letters.ts";
import { demoCommands } from "./demo.ts";
import { textOf } from "./print.ts";
import { reconcileCommands } from "./reconcile-command.ts";
import { deployedTarget, localTarget, type Target } from "./target.ts";
import { commandHelp, usageOf } from "./usage.ts";
import { watchlistCommands } from "./watchlists.ts";

const commands: Commands = {
  ...accountCommands,
  ...creditCommands,
  ...watchlistCommands,
  ...demoCommands,
  ...deadLetterCommands,
  ...reconcileCommands,
};

const progressMs = 5_000;
const options = { ...commandOptions, ...commonOptions };

/** The streams of a command. Errors and questions are written to `errors`. */
export interface Streams {
  readonly input: Terminal["input"];
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly errors: NodeJS.WritableStream;
}

/**
 * Runs a command line and returns its exit code. Prints errors and does not throw.
 * @param words the command line without the program's name
 */
export async function runAdmin(words: readonly string[], streams: Streams): Promise<number> {
  try {
    return await runCommandLine(words, streams);
  } catch (error) {
    streams.errors.write(`${failureMessage(error)}\n`);
    return 1;
  }
}

async function runCommandLine(words: readonly string[], streams: Streams): Promise<number> {
  const { values, positionals } = parseOptions(words, options, true);
  if (positionals.length === 0) {
    streams.output.write(usageOf(commands));
    return values.help === true ? 0 : 1;
  }
  const name = positionals.join(" ");
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    throw new Error(
      `There is no command "${name}".${didYouMean(name, Object.keys(commands))} Run npm run admin for a list.`,
    );
  }
  if (values.help === true) {
    streams.output.write(`${commandHelp(name, command)}\n`);
    return 0;
  }
  refuseOthers(name, command, Object.keys(values));
  if (!("answer" in command)) return runWorldCommand(command, values, streams);
  print(command.answer, values, streams);
  return 0;
}

async function runWorldCommand(
  command: WorldCommand,
  values: Values,
  streams: Streams,
): Promise<number> {
  // Parses the options before any request, so that invalid options cause no request.
  const change = command.changes?.(values);
  const target = await targetOf(values);
  if (change !== undefined) {
    const wanted = { stage: target.stage, change, isConfirmed: values.yes === true };
    await confirm(wanted, { input: streams.input, output: streams.errors });
  }
  let code = 0;
  const result = await command.run(values, {
    target,
    dynamo: documentClient(),
    sqs: new SQSClient({ useQueueUrlAsEndpoint: false }),
    isText: isText(values, streams),
    printLine: (line) => void streams.output.write(`${line}\n`),
    warn: (line) => void streams.errors.write(`${line}\n`),
    progress: (accounts) => progressOf(accounts, { everyMs: progressMs, out: streams.errors }),
    endWith: (wanted) => {
      code = wanted;
    },
  });
  if (result !== undefined) print(result, values, streams);
  return code;
}

/** Prints a result as JSON, or as text if the output is a terminal and `--json` is absent. */
function print(result: unknown, values: Values, streams: Streams): void {
  const text = isText(values, streams) ? textOf(result) : JSON.stringify(result, null, 2);
  streams.output.write(`${text}\n`);
}

const isText = ({ json }: Values, { output }: Streams): boolean =>
  output.isTTY === true && json !== true;

function refuseOthers(name: string, { takes, usage }: Command, given: readonly string[]): void {
  const taken = new Set<string>(takes);
  const other = given.find((option) => !taken.has(option) && !Object.hasOwn(commonOptions, option));
  if (other === undefined) return;
  throw new Error(
    `${name} does not accept --${other}. It accepts: ${usage === "" ? "nothing" : usage}`,
  );
}

async function targetOf({ stage, region }: Values): Promise<Target> {
  if (stage === undefined) {
    if (region !== undefined) throw new Error("--region requires --stage");
    return localTarget(process.env["LOCAL_DIR"] ?? ".local");
  }
  // All SDK clients of this process read their region from this variable.
  if (region !== undefined) process.env["AWS_REGION"] = region;
  return deployedTarget(stage);
}
