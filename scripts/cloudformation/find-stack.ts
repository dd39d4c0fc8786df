import {
  type CloudFormationClient,
  DescribeStacksCommand,
  type Stack,
} from "@aws-sdk/client-cloudformation";

/**
 * Returns a stack by name; undefined if the AWS account has no such stack in the region.
 * @throws any other error of CloudFormation
 */
export async function findStack(
  client: CloudFormationClient,
  name: string,
): Promise<Stack | undefined> {
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: name }));
    return Stacks?.[0];
  } catch (error) {
    // CloudFormation has no error type for a stack that does not exist.
    if (error instanceof Error && error.message.includes("does not exist")) return undefined;
    throw error;
  }
}
