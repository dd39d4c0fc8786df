import { stackName } from "../../lib/build-app.ts";
import type { GivenContext } from "../../lib/context.ts";

const domainName = "api.shop.example";
const certificateArn = "arn:aws:acm:us-east-1:123456789012:certificate/0f0f-1111";
/**
 * Contexts of deployments. Each resource that a deployment can have exists with at least one of
 * these contexts.
 */
export const deployments: readonly GivenContext[] = [
  { stage: "dev" },
  { stage: "prod" },
  {
    stage: "dev",
    accessLogs: "on",
    eventBus: "on",
    eventBusArchiveDays: "30",
    eventBusSchemas: "on",
    analytics: "on",
    analyticsExports: "s3://exports-of-the-shop/shop/",
    deployment: "linear-10-percent-every-1-minute",
    waf: "true",
    domainName,
    certificateArn,
  },
  {
    stage: "prod",
    accessLogs: "setup",
    waf: "false",
    wafReason: "Another firewall protects the API.",
    monthlyBudget: "500",
    responseMode: "buffered",
    unprotect: stackName("prod", "data"),
    domainName,
    certificateArn,
    hostedZoneId: "Z1",
    alarmEmail: "a@b.example",
    backupCopyVault: "arn:aws:backup:eu-west-1:123456789012:backup-vault:copies",
  },
];
