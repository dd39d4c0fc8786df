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

/** Shows in the customer's trail of calls who it was. */
const sessionName = "retail-product-data-service";
const sessionSeconds = 60 * 60;
/** A check within a call of the API has its put and its delete to make after this. */
const attemptsMax = 2;

/** Roles assumed at the STS endpoint of their bucket's region. */
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

/** Credentials are not used any more in their last minutes: what begins with them must end. */
const marginMs = 5 * 60 * 1_000;
const rolesKeptMax = 1_000;

/** The same, with what was assumed kept in memory until five minutes before it expires. */
export function keptRoleCredentials(roles: RoleCredentials, clock: Clock): RoleCredentials {
  const kept = new Map<string, Extract<AssumeOutcome, { outcome: "assumed" }>>();
  return {
    async assume(role) {
      const name = nameOf(role);
      const known = kept.get(name);
      const until = known === undefined ? 0 : known.credentials.expiresAt.getTime() - marginMs;
      if (known !== undefined && until > clock.now().getTime()) return known;
      const assumed = await roles.assume(role);
      if (kept.size >= rolesKeptMax) kept.clear();
      if (assumed.outcome === "assumed") kept.set(name, assumed);
      return assumed;
    },
  };
}

const nameOf = ({ roleArn, externalId, region }: AssumedRole): string =>
  JSON.stringify([roleArn, externalId, region]);
