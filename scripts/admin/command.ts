import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { SQSClient } from "@aws-sdk/client-sqs";
import type { Progress } from "../../tools/command-line/progress.ts";
import type { Target } from "./target.ts";

/** The options that only some commands accept. */
export const commandOptions = {
  account: { type: "string" },
  credits: { type: "string" },
  demo: { type: "boolean" },
  disabled: { type: "boolean" },
  email: { type: "string" },
  id: { type: "string" },
  key: { type: "string" },
  limit: { type: "string" },
  name: { type: "string" },
  pack: { type: "string" },
  queue: { type: "string" },
  receiver: { type: "string" },
  request: { type: "string" },
  run: { type: "string" },
  runs: { type: "string" },
  "starting-after": { type: "string" },
  threshold: { type: "string" },
  type: { type: "string" },
  watchlist: { type: "string" },
} as const;

/** The options that every command accepts. */
export const commonOptions = {
  stage: { type: "string" },
  region: { type: "string" },
  yes: { type: "boolean" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

type Options = typeof commandOptions & typeof commonOptions;
export type Values = {
  readonly [Name in keyof Options]?:
    | (Options[Name]["type"] extends "string" ? string : boolean)
    | undefined;
};
type OptionName = keyof typeof commandOptions;
type TextOption = Exclude<OptionName, "demo" | "disabled">;

/** The environment in which commands run. */
export interface Admin {
  readonly target: Target;
  readonly dynamo: DynamoDBDocumentClient;
  readonly sqs: SQSClient;
  /**
   * True if results are printed as text, because the output is a terminal and `--json` is absent.
   */
  readonly isText: boolean;
  /** Prints a line of the result at once. */
  readonly printLine: (line: string) => void;
  /** Prints a line that is not part of the result. */
  readonly warn: (line: string) => void;
  /** Prints which account is processed, every 5 s. */
  readonly progress: (accounts: number | null) => Progress;
  /** Sets the exit code of a successful command. Default: 0. */
  readonly endWith: (code: number) => void;
}

interface Described {
  /** The command's options, as they appear in the usage. */
  readonly usage: string;
  readonly takes: readonly OptionName[];
  readonly about: string;
  /** The options of a typical call. */
  readonly example: string;
}

/** A command that reads or changes a world. */
export interface WorldCommand extends Described {
  /** Describes the change in a question to the operator. Absent for a command that only reads. */
  readonly changes?: (values: Values) => string;
  /** Returns the result to print; undefined if the command printed everything itself. */
  run(values: Values, admin: Admin): Promise<unknown>;
}

/** A command whose result is the same in every world. */
interface FixedCommand extends Described {
  readonly answer: unknown;
}

export type Command = WorldCommand | FixedCommand;

/** Commands by name. A name has one or two words. */
export type Commands = Readonly<Record<string, Command>>;

/**
 * Returns the value of a required option.
 * @throws Error if the option is absent or empty
 */
export function required(values: Values, name: TextOption): string {
  const value = values[name];
  if (value === undefined || value === "") throw new Error(`--${name} is required`);
  return value;
}

interface Bounds {
  readonly least: number;
  readonly most?: number;
  /** The value of the option if it is absent. Without a default, the option is required. */
  readonly otherwise?: number;
}

/**
 * Parses an integer option. Its bounds `least` and `most` are inclusive.
 * @throws Error if the value is not an integer within the bounds
 */
export function wholeNumber(
  values: Values,
  name: TextOption,
  { least, most = Number.MAX_SAFE_INTEGER, otherwise }: Bounds,
): number {
  if (values[name] === undefined && otherwise !== undefined) return otherwise;
  const text = required(values, name);
  const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number) || number < least || number > most) {
    throw new Error(`--${name} must be an integer${range({ least, most })} (got "${text}")`);
  }
  return number;
}

/** Returns a list in the format of the API, with `data` and `has_more`. */
export const listOf = (data: readonly unknown[], hasMore = false): unknown => ({
  object: "list",
  data,
  has_more: hasMore,
});

function range({ least, most }: { readonly least: number; readonly most: number }): string {
  return most === Number.MAX_SAFE_INTEGER ? ` from ${least} on` : ` from ${least} to ${most}`;
}
