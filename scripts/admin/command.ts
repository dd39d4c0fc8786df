import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { SQSClient } from "@aws-sdk/client-sqs";
import type { Target } from "./target.ts";

/** Options of single commands. */
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

/** Options that every command takes. */
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

/** Where commands work, and with what. */
export interface Admin {
  readonly target: Target;
  readonly dynamo: DynamoDBDocumentClient;
  readonly sqs: SQSClient;
  /** True at a terminal, unless JSON is asked for: results are text then. */
  readonly isForPeople: boolean;
  /** Takes a line of the result at once. */
  readonly say: (line: string) => void;
  /** Takes what somebody should know besides the result. */
  readonly warn: (line: string) => void;
  /** Sets the exit code of a command that has done its work: 0 otherwise. */
  readonly endWith: (code: number) => void;
}

interface Described {
  /** The options as the usage shows them. */
  readonly usage: string;
  readonly takes: readonly OptionName[];
  readonly about: string;
}

/** A command that looks at a world, or changes it. */
export interface WorldCommand extends Described {
  /** What it is about to change; absent of a command that only reads. */
  readonly changes?: (values: Values) => string;
  /** The result to print; undefined when everything has been said. */
  run(values: Values, admin: Admin): Promise<unknown>;
}

/** A command whose result is the same in every world. */
interface FixedCommand extends Described {
  readonly answer: unknown;
}

export type Command = WorldCommand | FixedCommand;

/** By name, of one word or two. */
export type Commands = Readonly<Record<string, Command>>;

/** The value of an option that a command cannot do without. */
export function required(values: Values, name: TextOption): string {
  const value = values[name];
  if (value === undefined || value === "") throw new Error(`--${name} is required`);
  return value;
}

interface Bounds {
  readonly least: number;
  readonly most?: number;
  /** What holds when the option is absent. */
  readonly otherwise?: number;
}

/** A whole number within bounds, both inclusive. */
export function wholeNumber(
  values: Values,
  name: TextOption,
  { least, most = Number.MAX_SAFE_INTEGER, otherwise }: Bounds,
): number {
  if (values[name] === undefined && otherwise !== undefined) return otherwise;
  const text = required(values, name);
  const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number) || number < least || number > most) {
    throw new Error(`--${name} ${text} is not a whole number${range({ least, most })}`);
  }
  return number;
}

/** A list as the API gives them. */
export const listOf = (data: readonly unknown[], hasMore = false): unknown => ({
  object: "list",
  data,
  has_more: hasMore,
});

function range({ least, most }: { readonly least: number; readonly most: number }): string {
  return most === Number.MAX_SAFE_INTEGER ? ` from ${least} on` : ` from ${least} to ${most}`;
}
