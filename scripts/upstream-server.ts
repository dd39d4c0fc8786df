/** Runs the reference server of `/docs/upstream`. */
import { runCommand } from "../tools/command-line/command-line.ts";
import { wholeNumberFrom } from "../tools/command-line/whole-number.ts";
import { secretFrom } from "../tools/sources/upstream/secret-option.ts";
import { isMisbehavior, misbehaviors } from "../tools/sources/upstream/misbehaviors.ts";
import {
  alwaysMisbehaving,
  maxBatchDefault,
  startUpstreamServer,
} from "../tools/sources/upstream/server.ts";

const commandLine = {
  name: "node scripts/upstream-server.ts",
  about: "Runs the reference server of /docs/upstream with invented items.",
  options: {
    port: { type: "string", value: "<port>", default: "9900", about: "the port; 0 for a free one" },
    "max-batch": {
      type: "string",
      value: "<number>",
      default: String(maxBatchDefault),
      about: "the maximum number of IDs in a call",
    },
    "secret-env": {
      type: "string",
      value: "<name>",
      about: "the environment variable with the secret that callers must send",
    },
    misbehave: {
      type: "string",
      value: "<fault>",
      about: `breaks the contract: ${misbehaviors.join(", ")}`,
    },
  },
  examples: ["", "--port 9901 --max-batch 100 --secret-env READ_SECRET"],
} as const;

interface Values {
  readonly port: string;
  readonly "max-batch": string;
  readonly "secret-env"?: string;
  readonly misbehave?: string;
}

async function main(values: Values): Promise<void> {
  const { misbehave, "secret-env": secretName } = values;
  if (misbehave !== undefined && !isMisbehavior(misbehave)) {
    throw new Error(`--misbehave must be one of ${misbehaviors.join(", ")} (got "${misbehave}").`);
  }
  const { url } = await startUpstreamServer({
    port: wholeNumberFrom("--port", values.port, { from: 0, to: 65_535 }),
    maxBatch: wholeNumberFrom("--max-batch", values["max-batch"], { from: 1, to: 100_000 }),
    secret: secretFrom(secretName, process.env),
    ...(misbehave !== undefined && { misbehave: alwaysMisbehaving(misbehave) }),
  });
  process.stdout.write(`The reference server runs at ${url}\n`);
}

if (import.meta.main) {
  await runCommand(commandLine, ({ values }) => main(values), { failureCode: 2 });
}
