import { CloudWatchLogsClient, paginateFilterLogEvents } from "@aws-sdk/client-cloudwatch-logs";
import type { DeployedResource } from "./stacks.ts";

/**
 * Returns the warnings and errors in the logs of the functions. Errors that a function handles
 * appear only in its log.
 * @returns In `lines`, each warning or error as one line. In `read`, the number of read log lines.
 */
export async function warningsOf(
  endpoint: string,
  resources: readonly DeployedResource[],
): Promise<{ readonly lines: readonly string[]; readonly read: number }> {
  const groups = resources.filter(({ type }) => type === "AWS::Logs::LogGroup");
  const lines: string[] = [];
  let read = 0;
  for (const { physicalId } of groups) {
    const messages = await messagesOf(endpoint, physicalId);
    read += messages.length;
    lines.push(...messages.filter((message) => /"level":"(?:WARN|ERROR|CRITICAL)"/.test(message)));
  }
  return { lines, read };
}

/**
 * Returns true if a function has written to its log.
 * @param name the prefix of the logical IDs of the function's resources
 * @throws Error if the deployment has no log group with this prefix
 */
export async function hasLogged(
  endpoint: string,
  resources: readonly DeployedResource[],
  name: string,
): Promise<boolean> {
  const group = resources.find(
    ({ type, logicalId }) => type === "AWS::Logs::LogGroup" && logicalId.startsWith(name),
  );
  if (group === undefined) {
    throw new Error(
      `The deployment must contain a log group whose logical ID begins with ${name}. Deploy it again.`,
    );
  }
  return (await messagesOf(endpoint, group.physicalId)).length > 0;
}

async function messagesOf(endpoint: string, logGroupName: string): Promise<string[]> {
  const client = new CloudWatchLogsClient({ endpoint });
  const messages: string[] = [];
  try {
    for await (const { events = [] } of paginateFilterLogEvents({ client }, { logGroupName })) {
      messages.push(...events.map(({ message = "" }) => message));
    }
    return messages;
  } finally {
    client.destroy();
  }
}
