/**
 * Rolls a stage back to an earlier release: `npm run rollback -- --stage <stage> --to <git tag>`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { stackName } from "../lib/build-app.ts";
import { type Stage, stages } from "../lib/config.ts";
import { type parseOptions, runCommand } from "../tools/command-line/command-line.ts";
import { findStack } from "./cloudformation/find-stack.ts";
import { checkOutRelease } from "./release/release-tree.ts";
import { transferSettings } from "./release/present-settings.ts";
import { rollBackStage } from "./release/roll-back-stage.ts";
import { rollbackDeployments } from "./release/rollback-deployments.ts";

const commandLine = {
  name: "npm run rollback",
  about:
    "Returns a stage to an earlier release. While an update of the service stack is in progress, it cancels\n" +
    "the update, and CloudFormation restores the previous versions. Otherwise it deploys the release that\n" +
    "--to names, immediately and without waiting for alarms, with the stage's file of this checkout.",
  options: {
    stage: { type: "string", value: `<${stages.join("|")}>`, about: "the stage" },
    to: { type: "string", value: "<git tag>", about: "the release to return to" },
    context: {
      type: "string",
      short: "c",
      value: "<key>=<value>",
      multiple: true,
      about: "CDK context, if the stage's file does not have it",
    },
  },
  examples: ["--stage prod", "--stage prod --to v0.1.0"],
} as const;
type Values = ReturnType<typeof parseOptions<(typeof commandLine)["options"]>>["values"];

const project = fileURLToPath(new URL("..", import.meta.url));
const pollMs = 5_000;

async function main({ stage: wanted, to, context = [] }: Values): Promise<void> {
  const stage = stages.find((known) => known === wanted);
  if (stage === undefined)
    throw new Error(
      `--stage must be ${stages.join(" or ")} (got ${wanted === undefined ? "nothing" : `"${wanted}"`}).`,
    );
  const client = new CloudFormationClient({});
  try {
    await rollBackStage(client, {
      stack: stackName(stage, "service"),
      deployEarlier:
        to === undefined
          ? null
          : async () =>
              deployRelease(to, { stage, context, hasDomain: await hasDomain(client, stage) }),
      log: print,
      pollMs,
    });
  } finally {
    client.destroy();
  }
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Returns true if the API that is deployed has a custom domain. */
async function hasDomain(client: CloudFormationClient, stage: Stage): Promise<boolean> {
  const deployed = await findStack(client, stackName(stage, "service"));
  const url = deployed?.Outputs?.find(({ OutputKey }) => OutputKey === "ApiUrl")?.OutputValue;
  return url !== undefined && !url.includes(".execute-api.");
}

interface RollbackTarget {
  readonly stage: Stage;
  readonly context: readonly string[];
  readonly hasDomain: boolean;
}

async function deployRelease(name: string, target: RollbackTarget): Promise<void> {
  const { stage, context, hasDomain: domain } = target;
  const tree = await checkOutRelease(name, project);
  try {
    await transferSettings({
      stage,
      project,
      release: tree.folder,
      given: context,
      hasDomain: domain,
      log: print,
    });
    const given = [`stage=${stage}`, "deployment=all-at-once", ...context];
    const options = ["--require-approval", "never", ...given.flatMap((pair) => ["-c", pair])];
    for (const words of rollbackDeployments(stage)) await cdk(tree.folder, [...words, ...options]);
  } finally {
    await tree.remove();
  }
}

/**
 * Runs the CDK's command line of a release.
 * @throws Error if the command fails; the command has then printed the reason
 */
async function cdk(root: string, words: readonly string[]): Promise<void> {
  const command = join(root, "node_modules/aws-cdk/bin/cdk");
  const child = spawn(process.execPath, [command, ...words], { cwd: root, stdio: "inherit" });
  const [code]: unknown[] = await once(child, "exit");
  if (code !== 0)
    throw new Error(
      `cdk ${words.slice(0, 2).join(" ")} failed with exit code ${String(code)}. Fix the error that the output of this command shows, then repeat the command.`,
    );
}

await runCommand(commandLine, ({ values }) => main(values));
