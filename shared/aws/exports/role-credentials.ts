import { AssumeRoleCommand, STSClient, type STSClientConfig } from "@aws-sdk/client-sts";
import { limits } from "../../base/limits.ts";
import type { RoleCredentials } from "../../exports/role-credentials.ts";
import { clientSettings } from "../sdk/client-settings.ts";
import { failureReason } from "./failure-reason.ts";

/** Name of the service in the customer's CloudTrail. */
const sessionName = "retail-product-data-service";
const sessionSeconds = 60 * 60;
/**
 * Maximum number of attempts. It is low, because an API call that checks a destination must also
 * write and delete an object before its timeout.
 */
const attemptsMax = 2;

/**
 * Creates the port that assumes customers' roles, at the STS endpoint of the bucket's region.
 * `assume` never rejects: a failure is the outcome `failed` with an error code.
 */
export function stsRoleCredentials(
  config: Pick<STSClientConfig, "endpoint" | "credentials"> = {},
): RoleCredentials {
  const clients = new Map<string, STSClient>();
  const clientFor = (region: string): STSClient => {
    const known = clients.get(region);
    if (known !== undefined) return known;
    const client = new STSClient({
      ...config,
      region,
      ...clientSettings({ connectMs: limits.dependencies.farConnectMs, attemptsMax }),
    });
    clients.set(region, client);
    return client;
  };
  return {
    async assume({ roleArn, externalId, region }) {
      try {
        const { Credentials } = await clientFor(region).send(
          new AssumeRoleCommand({
            RoleArn: roleArn,
            RoleSessionName: sessionName,
            ExternalId: externalId,
            DurationSeconds: sessionSeconds,
          }),
        );
        const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = Credentials ?? {};
        if (!AccessKeyId || !SecretAccessKey || !SessionToken || Expiration === undefined) {
          return { outcome: "failed", reason: "no_credentials" };
        }
        return {
          outcome: "assumed",
          credentials: {
            accessKeyId: AccessKeyId,
            secretAccessKey: SecretAccessKey,
            sessionToken: SessionToken,
            expiresAt: Expiration,
          },
        };
      } catch (error) {
        return { outcome: "failed", reason: failureReason(error) };
      }
    },
  };
}
