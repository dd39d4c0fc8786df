import { userInfo } from "node:os";
import { SQSClient } from "@aws-sdk/client-sqs";
import { operatorRoles, type OperatorRole } from "../../lib/operator-names.ts";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import {
  type CommandGroup,
  commandNamed,
  groupHelpOf,
} from "../../tools/command-line/command-group.ts";
import { helpOf, parseOptions } from "../../tools/command-line/command-line.ts";
import { failureMessage } from "../../tools/command-line/failure.ts";
import { progressOf } from "../../tools/command-line/progress.ts";
import { systemClock } from "../../shared/base/system.ts";
import { withAuditLines } from "./audit/audited.ts";
import { auditCommands } from "./audit/commands.ts";
import { accountCommands } from "./accounts.ts";
import {
  type Admin,
  type Command,
  commandOptions,
  commonOptions,
  optionsOf,
  type Values,
  type WorldCommand,
} from "./command.ts";
import { confirm, guardedStage, type Terminal } from "./confirm.ts";
import { creditCommands } from "./credits.ts";
import { deadLetterCommands } from "./dead-letters.ts";
import { demoCommands } from "./demo.ts";
import { textOf } from "./print.ts";
import { endpointCommands } from "./endpoints.ts";
import { migrateCommands } from "./migrate.ts";
import { reconcileCommands } from "./reconcile-command.ts";
import { restoreCommands } from "./restore/command.ts";
import { findTarget, localTarget, type Target } from "./target.ts";
import { watchlistCommands } from "./watchlists.ts";

const group: CommandGroup<Command> = {
  name: "npm run admin",
  about:
    "Reads and changes the accounts, watchlists and queues of a local world or a deployed stage.",
  noun: "command",
  commands: {
    ...accountCommands,
    ...creditCommands,
    ...watchlistCommands,
    ...endpointCommands,
    ...demoCommands,
    ...deadLetterCommands,
    ...migrateCommands,
    ...reconcileCommands,
    ...restoreCommands,
    ...auditCommands,
  },
  options: commonOptions,
  notes: [
    "The command finds a deployed stage by the outputs of its CloudFormation stacks. It uses the credentials of the AWS SDK, and AWS_ENDPOINT_URL if that is set. It assumes a role of the stage: read for lists, act for `credits` and changes, break-glass for restore and migrate.",
    "The audit log records every change. `audit` lists the changes.",
    "A change of prod is shown first. You confirm it by typing prod, or with --yes.",
    "Results are JSON; at a terminal they are text, and JSON with --json.",
    "Exit codes: 0 success, 1 failed or incomplete, 2 reconcile found differences.",
  ],
  examples: [
    "create-account --name Acme --email ops@acme.example",
    "accounts --stage prod --region us-east-1 --json",
    "credits --help",
  ],
};

const progressMs = 5_000;
const options = {
  ...commandOptions,
  ...commonOptions,
  help: { type: "boolean", short: "h" },
} as const;

/** The streams of a command. Errors and questions are written to `errors`. */
export interface Streams {
  readonly input: Terminal["input"];
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly errors: NodeJS.WritableStream;
}

/**
 * Runs a command line and returns its exit code. Never throws: errors are printed.
 * @param words The command line without the name of the program.
 * @param streams The streams for input, results, errors and questions.
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
    streams.output.write(groupHelpOf(group));
    return values.help === true ? 0 : 1;
  }
  const name = positionals.join(" ");
  const command = commandNamed(name, group);
  if (values.help === true) {
    streams.output.write(
      helpOf({
        name: `${group.name} -- ${name}`,
        about: command.about,
        options: { ...optionsOf(command), ...commonOptions },
        examples: [command.example],
      }),
    );
    return 0;
  }
  refuseOthers(name, command, Object.keys(values));
  if (!("answer" in command)) return runWorldCommand({ name, command }, values, streams);
  print(command.answer, values, streams);
  return 0;
}

async function runWorldCommand(
  { name, command }: { readonly name: string; readonly command: WorldCommand },
  values: Values,
  streams: Streams,
): Promise<number> {
  // Parses the options before any request, so that invalid options cause no request.
  const change = command.changes?.(values);
  const needed = neededRole(command, change);
  const role = roleOf(needed, values);
  const target = await targetOf(values, role);
  const ask = async (wanted: string): Promise<void> => {
    const { stage, operator } = target;
    if (stage === null || operator === null) return;
    const confirmation = { stage, operator, change: wanted, isConfirmed: values.yes === true };
    await confirm(confirmation, { input: streams.input, output: streams.errors });
  };
  if (change !== undefined && target.stage === guardedStage) await ask(change);
  let code = 0;
  const admin: Admin = {
    target,
    dynamo: documentClient(
      needed === "read" ? "current" : await target.storedVersions(),
      target.clientOptions,
    ),
    sqs: new SQSClient({ ...target.clientOptions, useQueueUrlAsEndpoint: false }),
    isText: isText(values, streams),
    printLine: (line) => void streams.output.write(`${line}\n`),
    warn: (line) => void streams.errors.write(`${line}\n`),
    confirm: ask,
    progress: (accounts) => progressOf(accounts, { everyMs: progressMs, out: streams.errors }),
    endWith: (wanted) => {
      code = wanted;
    },
  };
  const run = (): Promise<unknown> => command.run(values, admin);
  const result =
    change === undefined
      ? await run()
      : await withAuditLines(
          {
            log: await target.auditLog(),
            operator: target.operator?.arn ?? userInfo().username,
            role: target.stage === null ? "none" : role,
            command: name,
            values,
            clock: systemClock,
            warn: admin.warn,
            exitCode: () => code,
          },
          run,
        );
  if (result !== undefined) print(result, values, streams);
  return code;
}

const neededRole = ({ role }: WorldCommand, change: string | undefined): OperatorRole =>
  role ?? (change === undefined ? "read" : "act");

/**
 * Returns the role that a command assumes in a deployed stage: the value of `--role`, or by default
 * the role that the command needs.
 * @throws Error if `--role` is used without `--stage`, or does not name a role.
 */
function roleOf(needed: OperatorRole, { role, stage }: Values): OperatorRole | "none" {
  if (role === undefined) return needed;
  if (stage === undefined)
    throw new Error(
      "--role requires --stage. Add it, or remove --role: a local world has no roles.",
    );
  const roles = [...operatorRoles, "none"] as const;
  const wanted = roles.find((known) => known === role);
  if (wanted !== undefined) return wanted;
  throw new Error(`--role must be one of ${roles.join(", ")} (got "${role}").`);
}

/** Prints a result as JSON, or as text if the output is a terminal and `--json` is absent. */
function print(result: unknown, values: Values, streams: Streams): void {
  const text = isText(values, streams) ? textOf(result) : JSON.stringify(result, null, 2);
  streams.output.write(`${text}\n`);
}

const isText = ({ json }: Values, { output }: Streams): boolean =>
  output.isTTY === true && json !== true;

function refuseOthers(name: string, command: Command, given: readonly string[]): void {
  const own = optionsOf(command);
  const accepted = { ...own, ...commonOptions };
  const other = given.find((option) => !Object.hasOwn(accepted, option));
  if (other === undefined) return;
  const usage = Object.entries(own).map(([option, { value = "" }]) =>
    `--${option} ${value}`.trim(),
  );
  throw new Error(
    `${name} does not accept --${other}. Remove it. ${name} accepts: ${usage.length === 0 ? "nothing" : usage.join(", ")}.`,
  );
}

async function targetOf({ stage, region }: Values, role: OperatorRole | "none"): Promise<Target> {
  if (stage === undefined) {
    if (region !== undefined)
      throw new Error(
        "--region requires --stage. Add it, or remove --region: a local world has no region.",
      );
    return localTarget(process.env["LOCAL_DIR"] ?? ".local");
  }
  // All SDK clients of this process read their region from this variable.
  if (region !== undefined) process.env["AWS_REGION"] = region;
  return findTarget(stage, role);
}
