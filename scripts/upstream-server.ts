/** Runs the reference server of `/docs/upstream`: `node scripts/upstream-server.ts --port 9900`. */
import { parseArgs } from "node:util";
import { runCommand, secretFrom, wholeNumberFrom } from "../tools/sources/upstream/command-line.ts";
import { isMisbehaviour, misbehaviours } from "../tools/sources/upstream/misbehaviours.ts";
import {
  alwaysMisbehaving,
  maxBatchDefault,
  startUpstreamServer,
} from "../tools/sources/upstream/server.ts";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "9900" },
      "max-batch": { type: "string", default: String(maxBatchDefault) },
      "secret-env": { type: "string" },
      misbehave: { type: "string" },
    },
  });
  const { misbehave, "secret-env": secretName } = values;
  if (misbehave !== undefined && !isMisbehaviour(misbehave)) {
    throw new Error(`--misbehave must be one of ${misbehaviours.join(", ")} (got "${misbehave}")`);
  }
  const { url } = await startUpstreamServer({
    port: wholeNumberFrom("--port", values.port, { from: 0, to: 65_535 }),
    maxBatch: wholeNumberFrom("--max-batch", values["max-batch"], { from: 1, to: 100_000 }),
    secret: secretFrom(secretName, process.env),
    ...(misbehave !== undefined && { misbehave: alwaysMisbehaving(misbehave) }),
  });
  process.stdout.write(`The reference server runs at ${url}\n`);
}

if (import.meta.main) await runCommand(main);
