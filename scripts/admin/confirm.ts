import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";

/** The stage whose customers are real. */
const guardedStage = "prod";

export interface Wanted {
  readonly stage: string | null;
  /** What is about to happen, such as `Grant 500 credits to acct_…`. */
  readonly change: string;
  /** True when somebody has said so on the command line. */
  readonly isConfirmed: boolean;
}

/** Where somebody is asked, and answers. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

/**
 * Has a change of production confirmed by typing the stage's name.
 * @throws Error when it is not, and when there is nobody to ask.
 */
export async function confirm(
  { stage, change, isConfirmed }: Wanted,
  { input, output }: Terminal,
): Promise<void> {
  if (stage !== guardedStage) return;
  const client = new STSClient({});
  const { Account, Arn } = await client.send(new GetCallerIdentityCommand({}));
  const region = await client.config.region();
  output.write(`${change}\n  in AWS account ${Account}, ${region}, stage ${stage}, as ${Arn}\n`);
  if (isConfirmed) return;
  if (input.isTTY !== true) {
    throw new Error("Nobody is here to confirm this: repeat it with --yes. Nothing was changed.");
  }
  const terminal = createInterface({ input, output });
  try {
    const closed = once(terminal, "close").then(() => "");
    const answer = await Promise.race([terminal.question(`Type ${stage} to go on: `), closed]);
    if (answer.trim() !== stage) throw new Error("Not confirmed. Nothing was changed.");
  } finally {
    terminal.close();
  }
}
