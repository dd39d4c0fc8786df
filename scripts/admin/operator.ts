import {
  AssumeRoleCommand,
  GetCallerIdentityCommand,
  STSClient,
  type STSClientConfig,
} from "@aws-sdk/client-sts";
import { type OperatorRole, operatorRoleName } from "../../lib/operator-names.ts";

/** The settings of AWS clients that make requests with the permissions of a role. */
export interface ClientOptions {
  readonly credentials?: NonNullable<STSClientConfig["credentials"]>;
}

/** The operator's own identity, before an operator role is assumed. */
export interface Operator {
  readonly arn: string;
  readonly awsAccount: string;
  readonly region: string;
}

/**
 * Returns the identity of the credentials of this process.
 * @throws the error of the SDK if the credentials are missing or invalid, or no region is set
 */
export async function operatorIdentity(): Promise<Operator> {
  const client = new STSClient({});
  const { Account = "", Arn = "" } = await client.send(new GetCallerIdentityCommand({}));
  return { arn: Arn, awsAccount: Account, region: await client.config.region() };
}

/** Credentials are renewed when their remaining validity is shorter than this, in milliseconds. */
const leftMsMin = 5 * 60_000;

/**
 * Assumes an operator role of a stage. Returns settings for AWS clients, whose credentials are
 * renewed before they expire.
 * @throws Error with instructions if the role cannot be assumed.
 */
export async function assumeOperatorRole(
  operator: Operator,
  stage: string,
  role: OperatorRole,
): Promise<ClientOptions> {
  const client = new STSClient({});
  const [, partition = "aws"] = operator.arn.split(":");
  const name = operatorRoleName(stage, operator.region, role);
  const RoleArn = `arn:${partition}:iam::${operator.awsAccount}:role/${name}`;
  const assume = () => assumeRole(client, RoleArn, sessionName(operator));
  let current = await assume().catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The role ${name} cannot be assumed: ${reason}. Deploy the data stack of this release, allow ` +
        `your identity sts:AssumeRole on ${RoleArn}, or use your own permissions with --role none.`,
      { cause: error },
    );
  });
  return {
    credentials: async () => {
      if (current.expiration.getTime() - Date.now() < leftMsMin) current = await assume();
      return current;
    },
  };
}

async function assumeRole(client: STSClient, RoleArn: string, RoleSessionName: string) {
  const { Credentials } = await client.send(new AssumeRoleCommand({ RoleArn, RoleSessionName }));
  return {
    accessKeyId: Credentials?.AccessKeyId ?? "",
    secretAccessKey: Credentials?.SecretAccessKey ?? "",
    sessionToken: Credentials?.SessionToken ?? "",
    expiration: Credentials?.Expiration ?? new Date(0),
  };
}

/**
 * Returns the last part of the operator's ARN. It becomes the session name, which AWS CloudTrail
 * records.
 */
const sessionName = ({ arn }: Operator): string =>
  (arn.split(/[/:]/).at(-1) ?? "")
    .replaceAll(/[^\w+=,.@-]/g, "-")
    .slice(0, 64)
    .padEnd(2, "-");
