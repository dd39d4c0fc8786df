import {
  type CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  UpdateStackCommand,
  waitUntilStackCreateComplete,
  waitUntilStackDeleteComplete,
  waitUntilStackUpdateComplete,
} from "@aws-sdk/client-cloudformation";
import { type DeployedResource, smokeStacks } from "./stacks.ts";

interface Gap {
  readonly why: string;
  /** Matches the logical IDs of the roles that get the permission. */
  readonly roles: RegExp;
  readonly actions: readonly string[];
  readonly resource: string;
}

const arn = "arn:${AWS::Partition}:";
const here = "${AWS::Region}:${AWS::AccountId}:";

/**
 * The permissions that the emulator requires although AWS does not. All other permissions come from
 * the templates.
 */
const gaps: readonly Gap[] = [
  {
    why: "the emulator treats every schedule as a schedule of the default group",
    roles: /^(?:ApiFunctionswatchlists|WorkersRunsWorker)Role[0-9A-F]{8}$/,
    actions: ["scheduler:CreateSchedule", "scheduler:UpdateSchedule", "scheduler:DeleteSchedule"],
    resource: `${arn}scheduler:${here}schedule/default/*`,
  },
  {
    why: "the emulator requires this where SQS requires sqs:SendMessage",
    roles:
      /^(?:Workers(?:\w+Worker|Sweeper)|ApiFunctions(?:webhookendpoints|s3destination))Role[0-9A-F]{8}$/,
    actions: ["sqs:SendMessageBatch"],
    resource: `${arn}sqs:${here}${smokeStacks[1]}-*`,
  },
];

const StackName = "deploy-smoke-permissions";
const patience = { maxWaitTime: 60, minDelay: 1, maxDelay: 1 };

/** The template of the permissions that are granted now; null if none are. */
let granted: string | null = null;

/**
 * Grants roles the permissions that the emulator requires, but AWS does not. The permissions are in
 * a separate stack, which further calls update if the roles have changed.
 * @param resources The deployed resources with the roles.
 * @returns One line about each permission, or an empty array if the stack did not change.
 * @throws Error if a role that needs a permission is missing.
 */
export async function grantGaps(
  client: CloudFormationClient,
  resources: readonly DeployedResource[],
): Promise<string[]> {
  const policies = gaps.map((gap, n) => [`Gap${n}`, policyFor(gap, n, resources)] as const);
  const TemplateBody = JSON.stringify({ Resources: Object.fromEntries(policies) });
  if (granted === TemplateBody) return [];
  const input = {
    StackName,
    TemplateBody,
    Capabilities: ["CAPABILITY_IAM" as const],
  };
  if (granted === null) {
    await client.send(new CreateStackCommand(input));
    await waitUntilStackCreateComplete({ client, ...patience }, { StackName });
  } else {
    await client.send(new UpdateStackCommand(input));
    await waitUntilStackUpdateComplete({ client, ...patience }, { StackName });
  }
  granted = TemplateBody;
  return gaps.map(
    ({ why, actions }) => `granted in addition to the templates: ${actions.join(", ")}: ${why}`,
  );
}

/** Deletes the stack of the additional permissions. */
export async function revokeGaps(client: CloudFormationClient): Promise<void> {
  await client.send(new DeleteStackCommand({ StackName }));
  await waitUntilStackDeleteComplete({ client, ...patience }, { StackName });
  granted = null;
}

function policyFor(gap: Gap, n: number, resources: readonly DeployedResource[]): unknown {
  const roles = resources.filter(
    ({ type, logicalId }) => type === "AWS::IAM::Role" && gap.roles.test(logicalId),
  );
  if (roles.length === 0)
    throw new Error(
      `The templates must contain a role whose logical ID matches ${gap.roles.source} (got none). Correct the pattern in scripts/deploy-smoke/emulator-permissions.ts.`,
    );
  const Statement = [
    { Effect: "Allow", Action: gap.actions, Resource: { "Fn::Sub": gap.resource } },
  ];
  return {
    Type: "AWS::IAM::Policy",
    Properties: {
      PolicyName: `deploy-smoke-${n}`,
      Roles: roles.map(({ physicalId }) => physicalId),
      PolicyDocument: { Version: "2012-10-17", Statement },
    },
  };
}
