import { AssumeRoleCommand, STSClient, type STSClientConfig } from "@aws-sdk/client-sts";
import type { Clock } from "../../base/clock.ts";
import { limits } from "../../base/limits.ts";
import type {
  AssumedRole,
  AssumeOutcome,
  RoleCredentials,
} from "../../exports/role-credentials.ts";
import { clientSettings } from "../sdk/client-settings.ts";
import { failureReason } from "./failure-reason.ts";

/** Identifies the service in the customer's CloudTrail. */
const sessionName = "retail-product-data-service";
const sessionSeconds = 60 * 60;
/**
 * Maximum number of attempts. Low, because an API call that checks a destination must also write
 * and delete an object before it times out.
 */
const attemptsMax = 2;

/**
 * Assumes customers' roles at the STS endpoint of the bucket's region. Never rejects: a failure is
 * the outcome `failed` with an error code.
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

/**
 * Cached credentials are not used in their last five minutes, so that an attempt ends before they
 * expire.
 */
const marginMs = 5 * 60 * 1_000;
const rolesMax = 1_000;

/**
 * Caches the credentials of up to 1,000 roles until five minutes before they expire. Does not cache
 * failures.
 */
export function cacheRoleCredentials(roles: RoleCredentials, clock: Clock): RoleCredentials {
  const cache = new Map<string, Extract<AssumeOutcome, { outcome: "assumed" }>>();
  return {
    async assume(role) {
      const name = nameOf(role);
      const cached = cache.get(name);
      const until = cached === undefined ? 0 : cached.credentials.expiresAt.getTime() - marginMs;
      if (cached !== undefined && until > clock.now().getTime()) return cached;
      const assumed = await roles.assume(role);
      if (cache.size >= rolesMax) cache.clear();
      if (assumed.outcome === "assumed") cache.set(name, assumed);
      return assumed;
    },
  };
}

const nameOf = ({ roleArn, externalId, region }: AssumedRole): string =>
  JSON.stringify([roleArn, externalId, region]);
