import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { stackName } from "../../lib/build-app.ts";
import { eventBusOutput } from "../../lib/data-references.ts";
import type { CustomerBucketAccess } from "../../tools/customer/bucket.ts";
import { reasonOf } from "../../tools/python/install.ts";
import { rollbackDeployments } from "../release/rollback-deployments.ts";
import type { Narrator } from "../tour/narrator.ts";
import type { TourReceiver } from "../tour/runs.ts";
import { answeringAddress, apiAddresses } from "./api-address.ts";
import { type Cdk, cdkCommands } from "./cdk.ts";
import { hasLogged, warningsOf } from "./function-logs.ts";
import { remainsOf } from "./remains.ts";
import {
  type DeployedResource,
  listStacks,
  resourcesOf,
  smokeStacks,
  smokeStage,
  smokeTag,
} from "./stacks.ts";

/**
 * The deployment that a smoke test uses. The environment variables of this process direct the AWS
 * clients and the CDK to this deployment.
 */
export interface Place {
  readonly endpoint: string;
  /** Context values for the CDK, in the form `key=value`. */
  readonly context: readonly string[];
  /** The address of the API; null to derive it from the endpoint or from the stack. */
  readonly apiUrl: string | null;
  /** A receiver and a bucket that the deployed service can reach; null if there are none. */
  readonly customer: {
    readonly receiver: TourReceiver;
    readonly bucket: CustomerBucketAccess;
  } | null;
  /**
   * Adapts the templates of a cloud assembly to what the deployment's emulator supports, and
   * returns a description of the changes. Null if the templates need no adaptation.
   */
  readonly adapt: ((assembly: string) => string) | null;
  /** Null if the endpoint requires only the permissions that AWS requires. */
  readonly permissions: ExtraPermissions | null;
  /** The folder for templates, outputs and logs. */
  readonly folder: string;
}

/** Permissions that the emulator of a deployment requires although AWS does not. */
interface ExtraPermissions {
  /** Grants the permissions in a separate stack. Returns one line about each permission. */
  grant(client: CloudFormationClient, resources: readonly DeployedResource[]): Promise<string[]>;
  revoke(client: CloudFormationClient): Promise<void>;
}

/** A release of the project: a folder with its files and packages. */
export interface Release {
  readonly name: string;
  readonly root: string;
}

/** The release that this file belongs to. */
export const thisRelease: Release = {
  name: "this release",
  root: fileURLToPath(new URL("../..", import.meta.url)),
};

/** Maximum seconds until the sweeper's first pass: a minute for the schedule, and a cold start. */
const sweepSecondsMax = 90;

const emptyBucket = fileURLToPath(new URL("../empty-bucket.ts", import.meta.url));

/** A smoke test in progress, with the clients that its steps use. */
export interface Smoke {
  readonly place: Place;
  readonly cdk: Cdk;
  readonly formation: CloudFormationClient;
  readonly narrator: Narrator;
}

/**
 * Runs a smoke test: deletes the remains of an interrupted test, calls `visit`, and deletes the
 * deployment, even after a failure.
 * @param visit Creates and checks a deployment.
 * @throws Error if a check fails, or if a stack exists that no smoke test created.
 */
export async function withDeployment(
  place: Place,
  narrator: Narrator,
  visit: (smoke: Smoke) => Promise<void>,
): Promise<void> {
  const formation = new CloudFormationClient({});
  const cdk = cdkCommands(join(place.folder, "cdk.log"));
  const smoke = { place, cdk, formation, narrator };
  const started = Date.now();
  try {
    await removeLeftovers(smoke);
    await withTearDown(smoke, () => visit(smoke));
    summary(smoke, started);
  } finally {
    formation.destroy();
  }
}

function summary({ place, narrator }: Smoke, started: number): void {
  const seconds = ((Date.now() - started) / 1_000).toFixed(1);
  narrator.chapter(
    `The smoke test is complete: ${narrator.checks()} checks passed in ${seconds} s.`,
  );
  if (place.customer === null) {
    narrator.note(
      "Not checked: the arrival of webhooks and exports. Set --receiver and --bucket to check it.",
    );
  }
}

/**
 * Deletes what an interrupted smoke test left.
 * @throws Error if one of the stacks exists and no smoke test created it
 */
async function removeLeftovers(smoke: Smoke): Promise<void> {
  const { formation, narrator } = smoke;
  const stacks = await listStacks(formation);
  const foreign = stacks.find((stack) => !stack.isOfSmoke);
  if (foreign !== undefined) {
    throw new Error(
      `There is a stack ${foreign.name} that no smoke test created (it lacks the tag ${smokeTag}). ` +
        "The smoke test would delete this stack. Use another AWS account or region.",
    );
  }
  if (stacks.length === 0) return;
  narrator.chapter("Resources that an interrupted smoke test left");
  for (const { name, status } of stacks) narrator.note(`${name}: ${status}`);
  await tearDown(smoke);
}

/**
 * Runs `visit` and then deletes the deployment, even if `visit` fails.
 * @throws the error of `visit` or of the deletion; AggregateError if both fail
 */
async function withTearDown(smoke: Smoke, visit: () => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const part of [visit, () => tearDown(smoke)]) {
    await part().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join("\n"));
  if (failures.length === 1) throw failures[0];
}

/**
 * Bootstraps the AWS account for the CDK, creates the stacks of a release, and checks their status.
 * @throws Error if a command fails, or if a stack is not complete
 */
export async function createDeployment(smoke: Smoke, release: Release): Promise<void> {
  const { cdk, narrator } = smoke;
  narrator.chapter(`cdk bootstrap, cdk deploy --all: ${release.name}`);
  const app = await synthesize(smoke, release);
  await logDuration("bootstrapped", narrator, () => cdk(release.root, "bootstrap", ...app));
  await deployStacks(smoke, release, [["deploy", "--all"]]);
  await checkCreated(smoke);
}

/**
 * Updates the stacks to a release in the order of an upgrade, and checks their status.
 * @throws Error if a command fails, or if the service stack was not updated
 */
export async function upgradeDeployment(smoke: Smoke, release: Release): Promise<void> {
  smoke.narrator.chapter(`cdk deploy --all: ${release.name}`);
  await deployStacks(smoke, release, [["deploy", "--all"]]);
  await checkUpdated(smoke);
}

/**
 * Rolls the deployment back to a release: updates its stacks in the order of a rollback. Then
 * checks that CloudFormation has updated the service stack.
 * @throws Error if a command fails, or if the service stack was not updated
 */
export async function rollBackDeployment(smoke: Smoke, release: Release): Promise<void> {
  smoke.narrator.chapter(`Roll back to ${release.name}`);
  await deployStacks(smoke, release, rollbackDeployments(smokeStage));
  await checkUpdated(smoke);
}

async function deployStacks(
  smoke: Smoke,
  release: Release,
  deployments: readonly (readonly string[])[],
): Promise<void> {
  const { place, cdk, formation, narrator } = smoke;
  const app = await synthesize(smoke, release);
  const options = ["--require-approval", "never", "--tags", `${smokeTag}=true`, ...app];
  for (const words of deployments) {
    await logDuration(words.join(" "), narrator, () => cdk(release.root, ...words, ...options));
  }
  const resources = await resourcesOf(formation, smokeStacks);
  for (const name of smokeStacks) {
    narrator.note(`${name}: ${resources.filter(({ stack }) => stack === name).length} resources`);
  }
  for (const line of (await place.permissions?.grant(formation, resources)) ?? []) {
    narrator.note(line);
  }
}

async function checkCreated({ formation, narrator }: Smoke): Promise<void> {
  const stacks = await listStacks(formation);
  narrator.check(
    "both stacks are complete",
    stacks.length === smokeStacks.length &&
      stacks.every(({ status }) => status === "CREATE_COMPLETE"),
  );
}

/**
 * Checks that both stacks are complete, and that the service stack was updated. The data stack may
 * have the status of its creation, because a deployment that does not change it keeps its status.
 */
async function checkUpdated({ formation, narrator }: Smoke): Promise<void> {
  const stacks = await listStacks(formation);
  for (const { name, status } of stacks) narrator.note(`${name}: ${status}`);
  narrator.check(
    "both stacks are complete, and the service stack was updated",
    stacks.length === smokeStacks.length &&
      stacks.every(({ status }) => /^(?:CREATE|UPDATE)_COMPLETE$/.test(status)) &&
      stacks.at(-1)?.status === "UPDATE_COMPLETE",
  );
}

/**
 * Creates the templates of a release, unless they exist. Returns the CDK arguments that select
 * them.
 */
async function synthesize(
  { place, cdk, narrator }: Smoke,
  { name, root }: Release,
): Promise<string[]> {
  const output = join(place.folder, `cdk.out-${name.replaceAll(/\W/g, "-")}`);
  if (!existsSync(join(output, "manifest.json"))) {
    const context = [`stage=${smokeStage}`, ...place.context];
    await cdk(
      root,
      "synth",
      "--quiet",
      "--output",
      output,
      ...context.flatMap((one) => ["-c", one]),
    );
    if (place.adapt !== null) narrator.note(place.adapt(output));
  }
  return ["--app", output];
}

/**
 * Returns the address at which the deployed API responds.
 * @throws Error if the API responds at none of its possible addresses
 */
export async function addressOf({ place, formation }: Smoke): Promise<string> {
  const outputs = await outputsOf(formation);
  return answeringAddress(
    place.apiUrl === null
      ? apiAddresses(place.endpoint, outputNamed(outputs, "ApiUrl"))
      : [place.apiUrl],
  );
}

/** Returns the name of the deployment's event bus; null if it has none. */
export async function eventBusOf({ formation }: Smoke): Promise<string | null> {
  const outputs = await outputsOf(formation);
  return outputs[eventBusOutput] ?? null;
}

type Outputs = Readonly<Record<string, string>>;

async function outputsOf(formation: CloudFormationClient): Promise<Outputs> {
  const stacks = await listStacks(formation);
  return Object.fromEntries(stacks.flatMap(({ outputs }) => Object.entries(outputs)));
}

function outputNamed(outputs: Outputs, name: string): string {
  const value = outputs[name];
  if (value === undefined) throw new Error(`The stacks have no output ${name}. Deploy them again.`);
  return value;
}

/**
 * Runs a script of the project and returns its output.
 * @throws Error with the script's output if it fails
 */
async function runScript(script: string, ...words: string[]): Promise<string> {
  const started = promisify(execFile)(process.execPath, [script, ...words]);
  const { stdout } = await started.catch((error: unknown) => {
    throw new Error(
      `The command ${basename(script)} ${words.join(" ")} failed: ${reasonOf(error)}. Correct the cause, then repeat the smoke test.`,
    );
  });
  return stdout;
}

/**
 * Checks that all dead-letter queues are empty. They receive the messages of failed workers, even
 * if all API calls succeed.
 * @throws Error if a queue has a message.
 */
export async function checkDeadLetters({ formation, narrator }: Smoke): Promise<void> {
  narrator.chapter("The dead-letter queues");
  const client = new SQSClient({});
  const queues = (await resourcesOf(formation, smokeStacks)).filter(
    ({ type, logicalId }) => type === "AWS::SQS::Queue" && logicalId.endsWith("DeadLetterQueue"),
  );
  const counts = await Promise.all(
    queues.map(async ({ physicalId: QueueUrl }) => {
      const AttributeNames = ["ApproximateNumberOfMessages" as const];
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames }),
      );
      return Number(Attributes?.ApproximateNumberOfMessages);
    }),
  );
  client.destroy();
  narrator.check(
    `none of the ${queues.length} dead-letter queues has a message`,
    queues.length > 0 && counts.every((count) => count === 0),
  );
}

/**
 * Waits until the sweeper has logged, then checks that no function has logged a warning. Only
 * warnings reveal a missing permission that a function tolerates.
 * @throws Error if the sweeper does not log in time, or if a function logged a warning.
 */
export async function checkWarnings({ place, formation, narrator }: Smoke): Promise<void> {
  narrator.chapter("The functions' logs");
  const resources = await resourcesOf(formation, smokeStacks);
  await narrator.wait("the sweeper, which runs every minute", sweepSecondsMax, async () =>
    (await hasLogged(place.endpoint, resources, "WorkersSweeperLogs")) ? true : undefined,
  );
  const { lines, read } = await warningsOf(place.endpoint, resources);
  for (const line of lines) narrator.note(line);
  narrator.check(`the functions logged no warning in ${read} lines`, lines.length === 0);
}

async function tearDown(smoke: Smoke): Promise<void> {
  const { place, cdk, formation, narrator } = smoke;
  narrator.chapter("cdk destroy, with npm run empty-bucket before the data");
  const stacks = await listStacks(formation);
  if (stacks.length === 0) return narrator.note("there is no stack");
  const resources = await resourcesOf(
    formation,
    stacks.map(({ name }) => name),
  );
  await place.permissions?.revoke(formation);
  const app = await synthesize(smoke, thisRelease);
  await logDuration("torn down", narrator, async () => {
    await cdk(thisRelease.root, "destroy", stackName(smokeStage, "service"), "--force", ...app);
    if (stacks.some(({ outputs }) => outputs["EventsBucketName"] !== undefined)) {
      await runScript(emptyBucket, "--stage", smokeStage);
    }
    await cdk(thisRelease.root, "destroy", "--all", "--force", ...app);
  });
  const left = await listStacks(formation);
  narrator.check("no stack is left", left.length === 0);
  const { lines, checked } = await remainsOf(resources);
  narrator.note(`searched for ${checked} tables, buckets, queues, keys and schedule groups`);
  for (const line of lines) narrator.note(`remains: ${line}`);
  narrator.note(
    "remains: the stack CDKToolkit with its bucket, which cdk bootstrap creates once per AWS account",
  );
  narrator.check(
    "nothing else remains, except keys that are scheduled for deletion",
    lines.every((line) => !line.endsWith("is still there")),
  );
}

async function logDuration(
  what: string,
  narrator: Narrator,
  task: () => Promise<void>,
): Promise<void> {
  const started = Date.now();
  await task();
  narrator.note(`${what} in ${((Date.now() - started) / 1_000).toFixed(0)} s`);
}
