import type { Client } from "../client.ts";
import type { Options, Values } from "./arguments.ts";
import type { Format, Output } from "./output.ts";

/** The input of one call of a command. */
export interface Invocation {
  /** Returns a new client of the service. */
  readonly client: () => Client;
  readonly values: Values;
  /** The command's arguments other than its options. */
  readonly words: readonly string[];
  readonly format: Format;
  readonly output: Output;
  /** Is aborted when the user presses Ctrl-C. */
  readonly signal: AbortSignal;
}

/** A command of `rpd`. */
export interface Command {
  /** The words that call the command, such as `events tail`. */
  readonly name: string;
  readonly about: string;
  /** The placeholder of the arguments in the help, such as `[<id>...]`. */
  readonly argument?: string;
  readonly options: Options;
  readonly examples: readonly string[];
  /** Runs the command. Rejects with UsageError for a mistake in the command line. */
  run(invocation: Invocation): Promise<void>;
}

export const platformOption = {
  type: "string",
  value: "<platform>",
  about: "retailer_a, retailer_b, retailer_c or retailer_d (required)",
} as const;
