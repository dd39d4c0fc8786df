import { subcommand } from "../../tools/command-line/command-group.ts";
import {
  isMisbehavior,
  isTemporary,
  misbehaviors,
} from "../../tools/sources/storefront/misbehaviors.ts";
import {
  misbehavesAs,
  maxBatchDefault,
  startReferenceStore,
} from "../../tools/sources/storefront/server.ts";
import { wholeNumberFrom } from "../../tools/command-line/whole-number.ts";

const commandLine = {
  name: "npm run storefront -- serve",
  about:
    "Runs a reference store with invented products. It checks every request against the official schemas.",
  options: {
    port: { type: "string", value: "<port>", default: "9910", about: "the port; 0 for a free one" },
    "max-batch": {
      type: "string",
      value: "<number>",
      default: String(maxBatchDefault),
      about: "the maximum number of IDs in a call",
    },
    misbehave: {
      type: "string",
      value: "<fault>",
      about:
        "makes the store fail, or reply in an unusual way.\n" +
        `To the first call: ${misbehaviors.filter(isTemporary).join(", ")}.\n` +
        `To every call: ${misbehaviors.filter((name) => !isTemporary(name)).join(", ")}`,
    },
  },
  examples: ["", "--port 9911 --max-batch 50"],
} as const;

/** The command `npm run storefront -- serve`, which runs a reference store. */
export const serveCommand = subcommand(commandLine, async ({ values }) => {
  const { misbehave } = values;
  if (misbehave !== undefined && !isMisbehavior(misbehave)) {
    throw new Error(`--misbehave must be one of ${misbehaviors.join(", ")} (got "${misbehave}").`);
  }
  const { url } = await startReferenceStore({
    port: wholeNumberFrom("--port", values.port, { from: 0, to: 65_535 }),
    maxBatch: wholeNumberFrom("--max-batch", values["max-batch"], { from: 1, to: 100_000 }),
    ...(misbehave !== undefined && { misbehave: misbehavesAs(misbehave) }),
  });
  process.stdout.write(`The reference store runs at ${url}\n`);
  await new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  return 0;
});
