import {
  type CloudFormationClient,
  paginateListStackResources,
} from "@aws-sdk/client-cloudformation";
import { stackName } from "../../lib/build-app.ts";
import { findStack } from "../cloudformation/find-stack.ts";

/** The stage of the smoke test. Its resources have no deletion protection. */
export const smokeStage = "dev";
/** The names of the stacks in the order of their creation. */
export const smokeStacks = [stackName(smokeStage, "data"), stackName(smokeStage, "service")];
/** The tag of stacks that the smoke test may delete. */
export const smokeTag = "deploy-smoke";

/** A CloudFormation stack. `isOfSmoke` is true if it has the tag of the smoke test. */
export interface DeployedStack {
  readonly name: string;
  readonly status: string;
  readonly isOfSmoke: boolean;
  readonly outputs: Readonly<Record<string, string>>;
}

/** A resource of a stack, with its type, such as `AWS::SQS::Queue`, and its IDs. */
export interface DeployedResource {
  readonly stack: string;
  readonly type: string;
  readonly logicalId: string;
  readonly physicalId: string;
}

/** Returns the stacks of the smoke test that exist. */
export async function listStacks(client: CloudFormationClient): Promise<DeployedStack[]> {
  const foundStacks = await Promise.all(smokeStacks.map((name) => describe(client, name)));
  return foundStacks.filter((stack) => stack !== undefined);
}

async function describe(
  client: CloudFormationClient,
  name: string,
): Promise<DeployedStack | undefined> {
  const stack = await findStack(client, name);
  if (stack === undefined) return undefined;
  const outputs = (stack.Outputs ?? []).map(
    ({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue] as const,
  );
  return {
    name,
    status: stack.StackStatus ?? "unknown",
    isOfSmoke: (stack.Tags ?? []).some((tag) => tag.Key === smokeTag),
    outputs: Object.fromEntries(outputs),
  };
}

/** Returns the resources of stacks, without deleted resources. */
export async function resourcesOf(
  client: CloudFormationClient,
  stacks: readonly string[],
): Promise<DeployedResource[]> {
  const resources: DeployedResource[] = [];
  for (const stack of stacks) {
    for await (const page of paginateListStackResources({ client }, { StackName: stack })) {
      for (const summary of page.StackResourceSummaries ?? []) {
        const { ResourceType = "", LogicalResourceId = "", PhysicalResourceId = "" } = summary;
        if (summary.ResourceStatus === "DELETE_COMPLETE" || PhysicalResourceId === "") continue;
        resources.push({
          stack,
          type: ResourceType,
          logicalId: LogicalResourceId,
          physicalId: PhysicalResourceId,
        });
      }
    }
  }
  return resources;
}
