/**
 * Deletes all objects in the bucket of event bodies, because CloudFormation deletes only an empty
 * bucket: `npm run empty-bucket -- --stage <stage>`. Run it before you delete the data stack. It
 * fails while the data stack is protected, and while a service stack exists, which still writes to
 * the bucket.
 */
import { CloudFormationClient, type Stack } from "@aws-sdk/client-cloudformation";
import { DeleteObjectsCommand, paginateListObjectsV2, S3Client } from "@aws-sdk/client-s3";
import { stackName } from "../lib/build-app.ts";
import { stages } from "../lib/config.ts";
import { quantity } from "../shared/base/quantity.ts";
import { jsonOption, runCommand } from "../tools/command-line/command-line.ts";
import { findStack } from "./cloudformation/find-stack.ts";

const commandLine = {
  name: "npm run empty-bucket",
  about:
    "Deletes all objects in a stage's bucket of event bodies. Run it before you destroy the data stack.",
  options: {
    stage: { type: "string", value: `<${stages.join("|")}>`, about: "the stage" },
    json: jsonOption,
  },
  examples: ["--stage dev", "--stage prod --json"],
} as const;

async function main(wanted: string | undefined, isJson: boolean): Promise<void> {
  const stage = stages.find((known) => known === wanted);
  if (stage === undefined)
    throw new Error(
      `--stage must be ${stages.join(" or ")} (got ${wanted === undefined ? "nothing" : `"${wanted}"`}).`,
    );
  const client = new CloudFormationClient({});
  const data = await findStack(client, stackName(stage, "data"));
  const service = await findStack(client, stackName(stage, "service"));
  client.destroy();
  const bucket = removableBucket(data, stackName(stage, "data"));
  if (service !== undefined) {
    throw new Error(
      `${stackName(stage, "service")} still exists and writes to the bucket. Destroy it first: ` +
        `npx cdk destroy ${stackName(stage, "service")} -c stage=${stage}`,
    );
  }
  const deleted = await emptyBucket(bucket);
  process.stdout.write(
    isJson
      ? `${JSON.stringify({ bucket, deleted })}\n`
      : `Deleted ${quantity(deleted, "object")} of ${bucket}.\n`,
  );
}

function removableBucket(stack: Stack | undefined, name: string): string {
  if (stack === undefined) {
    throw new Error(
      `There is no stack ${name} in this AWS account and region, so nothing was emptied. ` +
        "Check the stage, the region and the AWS credentials.",
    );
  }
  if (stack.EnableTerminationProtection === true) {
    throw new Error(
      `The stack ${name} is protected, and so are the objects in its bucket. To remove the stack, first deploy it with ` +
        `-c unprotect=${name}.`,
    );
  }
  const bucket = stack.Outputs?.find(({ OutputKey }) => OutputKey === "EventsBucketName");
  if (bucket?.OutputValue === undefined)
    throw new Error(`The stack ${name} has no output EventsBucketName. Deploy the stack again.`);
  return bucket.OutputValue;
}

/**
 * Deletes all objects, 1,000 in each call, the maximum of S3. Returns their number.
 * @throws Error with the key of an object that S3 did not delete
 */
async function emptyBucket(bucket: string): Promise<number> {
  const client = new S3Client({ forcePathStyle: true });
  let deleted = 0;
  for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket })) {
    const objects = (page.Contents ?? []).map(({ Key }) => ({ Key }));
    if (objects.length === 0) continue;
    const { Errors: [failed] = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: objects, Quiet: true } }),
    );
    if (failed !== undefined) {
      throw new Error(
        `S3 did not delete the object ${failed.Key} (${failed.Message}). Correct the cause, then repeat the command.`,
      );
    }
    deleted += objects.length;
    if (page.IsTruncated === true) process.stderr.write(`${deleted} objects deleted so far\n`);
  }
  client.destroy();
  return deleted;
}

await runCommand(commandLine, ({ values }) => main(values.stage, values.json === true));
