import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { creditPacks } from "../../shared/accounts/credit-packs.ts";
import { jsonOption, type OptionList } from "../../tools/command-line/command-line.ts";
import type { Progress } from "../../tools/command-line/progress.ts";
import { operatorRoles, type OperatorRole } from "../../lib/operator-names.ts";
import { queueNames, type Target } from "./target.ts";

/** The options that only some commands accept. */
export const commandOptions = {
  account: { type: "string", value: "<acct_…>", about: "the account" },
  credits: { type: "string", value: "<n>", about: "the number of credits" },
  at: {
    type: "string",
    value: "<time>",
    about: "the second to restore, in UTC, such as 2026-11-21T10:15:00Z",
  },
  demo: { type: "boolean", about: "creates a demo account" },
  discard: {
    type: "boolean",
    about: "removes the copies of a restore that has not replaced a table yet",
  },
  "dry-run": { type: "boolean", about: "shows what the command would do, and changes nothing" },
  disabled: { type: "boolean", about: "stores the auto top-up, but leaves it disabled" },
  endpoint: { type: "string", value: "<we_…>", about: "the webhook endpoint" },
  email: { type: "string", value: "<email>", about: "the email address of the account" },
  id: {
    type: "string",
    value: "<id>",
    about: "your ID of the change, such as an invoice number: repeating it changes nothing",
  },
  key: { type: "string", value: "<key_…>", about: "the API key" },
  limit: { type: "string", value: "<n>", about: "the largest number of entries to show" },
  name: { type: "string", value: "<name>", about: "the name of the account or the API key" },
  pack: {
    type: "string",
    value: `<${Object.keys(creditPacks).join("|")}>`,
    about: "the credit pack",
  },
  previous: {
    type: "boolean",
    about: "converts rows back to the version before the current one, before a rollback",
  },
  queue: { type: "string", value: `<${queueNames.join("|")}>`, about: "the queue" },
  receiver: {
    type: "string",
    value: "<https url>",
    about: "the webhook URL that receives the changes",
  },
  requests: {
    type: "string",
    value: "<n>",
    about: "the number of concurrent requests to the webhook endpoint",
  },
  request: { type: "string", value: "<req_…>", about: "shows only the entries of this call" },
  run: { type: "string", value: "<number>", about: "the number of the run" },
  runs: { type: "string", value: "<n>", about: "the number of runs of each watchlist" },
  "starting-after": {
    type: "string",
    value: "<ctx_…>",
    about: "shows only the entries after this one in the list",
  },
  scopes: {
    type: "string",
    value: "<read,spend,write>",
    about: "what the API key may do, separated by commas (default: everything)",
  },
  threshold: {
    type: "string",
    value: "<n>",
    about: "the balance at which the account gets the pack",
  },
  type: { type: "string", value: "<type>", about: "shows only the entries of this type" },
  watchlist: { type: "string", value: "<wl_…>", about: "the watchlist" },
} as const;

/** The options that every command accepts. */
export const commonOptions = {
  stage: {
    type: "string",
    value: "<dev|prod>",
    about: "a deployed stage (default: the local world of LOCAL_DIR, .local)",
  },
  region: { type: "string", value: "<region>", about: "the AWS region of the stage" },
  role: {
    type: "string",
    value: `<${[...operatorRoles, "none"].join("|")}>`,
    about:
      "the role to assume in a deployed stage (default: read for lists, act for changes); none uses your own permissions",
  },
  yes: { type: "boolean", about: "changes prod without asking for confirmation" },
  json: jsonOption,
} as const;

type Options = typeof commandOptions & typeof commonOptions;
/** The values of the options in a command line, by name. */
export type Values = {
  readonly [Name in keyof Options]?:
    | (Options[Name]["type"] extends "string" ? string : boolean)
    | undefined;
};
type OptionName = keyof typeof commandOptions;
type TextOption = {
  [Name in OptionName]: (typeof commandOptions)[Name]["type"] extends "string" ? Name : never;
}[OptionName];

/** The environment in which commands run. */
export interface Admin {
  readonly target: Target;
  readonly dynamo: DynamoDBDocumentClient;
  readonly sqs: SQSClient;
  /**
   * True if results are printed as text, because the output is a terminal and `--json` is absent.
   */
  readonly isText: boolean;
  /** Prints one line of the result immediately, before the command has finished. */
  readonly printLine: (line: string) => void;
  /** Prints a warning or another line that is not part of the result. */
  readonly warn: (line: string) => void;
  /**
   * Asks the operator to confirm a change of a deployed stage; `--yes` answers the question. Does
   * nothing in a local world. Throws if the operator does not confirm.
   */
  readonly confirm: (change: string) => Promise<void>;
  /**
   * Creates a progress report. `accounts` is the number of accounts to process; null if it is
   * unknown. The report prints at most one line every 5 s.
   */
  readonly progress: (accounts: number | null) => Progress;
  /** Sets the exit code of a successful command. Default: 0. */
  readonly endWith: (code: number) => void;
}

interface Described {
  /** The options that the command requires. */
  readonly needs?: readonly OptionName[];
  /** The options that the command accepts but does not require. */
  readonly takes?: readonly OptionName[];
  readonly about: string;
  /** The options of a typical call. */
  readonly example: string;
}

/** A command that reads or changes a local world or a deployed stage. */
export interface WorldCommand extends Described {
  /**
   * Returns a description of the change that the options cause. The question that asks the operator
   * to confirm contains this description. Returns undefined if these options change nothing. Absent
   * for a command that never changes anything.
   */
  readonly changes?: (values: Values) => string | undefined;
  /**
   * The role that the command needs. Default: `act` if the command changes something, otherwise
   * `read`.
   */
  readonly role?: OperatorRole;
  /** Returns the result to print; undefined if the command printed everything itself. */
  run(values: Values, admin: Admin): Promise<unknown>;
}

/** A command whose result does not depend on a local world or a stage. */
interface FixedCommand extends Described {
  readonly answer: unknown;
}

export type Command = WorldCommand | FixedCommand;

/** Commands by name. A name has one or two words. */
export type Commands = Readonly<Record<string, Command>>;

/**
 * Returns the options that a command requires or accepts, by name. Leaves out the options that all
 * commands accept.
 */
export const optionsOf = ({ needs = [], takes = [] }: Command): OptionList =>
  Object.fromEntries([
    ...needs.map((name) => [name, { ...commandOptions[name], required: true }]),
    ...takes.map((name) => [name, commandOptions[name]]),
  ]);

/**
 * Returns the value of a required option.
 * @throws Error if the option is absent or empty
 */
export function requiredOption(values: Values, name: TextOption): string {
  const value = values[name];
  if (value === undefined || value === "")
    throw new Error(`--${name} is required. Add it with a value.`);
  return value;
}

interface Bounds {
  readonly least: number;
  readonly most?: number;
  /** The result if the option is absent. If `otherwise` is not set, the option is required. */
  readonly otherwise?: number;
}

/**
 * Parses the integer value of an option.
 * @param bounds.least The smallest accepted value.
 * @param bounds.most The largest accepted value.
 * @param bounds.otherwise The result if the option is absent. Undefined if the option is required.
 * @throws Error if the value is not an integer within the bounds, or if a required option is
 * absent.
 */
export function wholeNumber(
  values: Values,
  name: TextOption,
  { least, most = Number.MAX_SAFE_INTEGER, otherwise }: Bounds,
): number {
  if (values[name] === undefined && otherwise !== undefined) return otherwise;
  const text = requiredOption(values, name);
  const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number) || number < least || number > most) {
    throw new Error(`--${name} must be an integer${range({ least, most })} (got "${text}").`);
  }
  return number;
}

/**
 * Returns a list in the format of the API: `data` with the entries, and `has_more`.
 * @param data The entries.
 * @param hasMore True if further entries exist.
 */
export const listOf = (data: readonly unknown[], hasMore = false): unknown => ({
  object: "list",
  data,
  has_more: hasMore,
});

function range({ least, most }: { readonly least: number; readonly most: number }): string {
  return most === Number.MAX_SAFE_INTEGER ? ` of ${least} or more` : ` from ${least} to ${most}`;
}
