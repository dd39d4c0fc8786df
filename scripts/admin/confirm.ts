import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import type { Operator } from "./operator.ts";

/** The stage with real customers. An operator must confirm each change to it. */
export const guardedStage = "prod";

/** A change of a deployed stage that the operator must confirm. */
export interface Confirmation {
  readonly stage: string;
  readonly operator: Operator;
  /** A description of the change, such as `Grant 500 credits to acct_…`. */
  readonly change: string;
  /** True if the command line contains `--yes`. */
  readonly isConfirmed: boolean;
}

/** The terminal that shows the question and reads the answer. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

/**
 * Prints a change and asks the operator to type the name of the stage as a confirmation. If
 * `isConfirmed` is true, prints the change without the question.
 * @throws Error if the answer is not the name of the stage.
 * @throws Error if the input is not a terminal.
 */
export async function confirm(
  { stage, operator, change, isConfirmed }: Confirmation,
  { input, output }: Terminal,
): Promise<void> {
  const { arn, awsAccount, region } = operator;
  output.write(`${change}\n  in AWS account ${awsAccount}, ${region}, stage ${stage}, as ${arn}\n`);
  if (isConfirmed) return;
  if (input.isTTY !== true) {
    throw new Error(
      "The input is not a terminal, so the change cannot be confirmed. Repeat the command with --yes. This change was not made.",
    );
  }
  const terminal = createInterface({ input, output });
  try {
    const closed = once(terminal, "close").then(() => "");
    const answer = await Promise.race([terminal.question(`Type ${stage} to continue: `), closed]);
    if (answer.trim() !== stage)
      throw new Error(
        `The input must be "${stage}" to confirm the change (got "${answer.trim()}"). This change was not made. Repeat the command.`,
      );
  } finally {
    terminal.close();
  }
}
