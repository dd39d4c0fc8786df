import type { Stage } from "aws-cdk-lib/aws-apigateway";
import { CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import { Construct } from "constructs";
import { rateLimited } from "../../shared/base/errors.ts";
import { limits } from "../../shared/base/limits.ts";
import { strictTransportSecurity } from "../../shared/base/transport-security.ts";
import { errorTemplate } from "./gateway-responses.ts";

const rateWindowSeconds = 300;
/**
 * Rate limit for one address: the limit of two API keys. More calls from one address are probably
 * an attack on keys.
 */
export const requestsPerSecondOfAddress = 2 * limits.requestsPerSecond;
const retryAfterSeconds = 60;

/**
 * Managed rule groups, each with the rules that only count requests, because they would block valid
 * calls.
 */
const managedGroups: Readonly<Record<string, readonly string[]>> = {
  AWSManagedRulesAmazonIpReputationList: [],
  AWSManagedRulesKnownBadInputsRuleSet: [],
  AWSManagedRulesCommonRuleSet: [
    // Lists of IDs require bodies of up to 2 MiB and long queries.
    "SizeRestrictions_BODY",
    "SizeRestrictions_QUERYSTRING",
    // URLs of webhook endpoints and S3 destinations may contain IP addresses. The service checks
    // the address when it connects.
    "GenericRFI_BODY",
    // Clients are servers, and not all of them send a User-Agent.
    "NoUserAgent_HEADER",
  ],
};

export interface FirewallProps {
  readonly stage: Stage;
}

/**
 * A web ACL for the API: AWS managed rules, and a rate limit for each address. It stores no request
 * samples, because a sample contains the query, which may contain an API key.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, props: FirewallProps) {
    super(scope, id);
    const acl = new CfnWebACL(this, "WebAcl", {
      description: "Protects the API of the retail product data service.",
      scope: "REGIONAL",
      defaultAction: { allow: {} },
      visibilityConfig: visibility("WebAcl"),
      rules: [rateRule(0), ...Object.entries(managedGroups).map(managedRule)],
      customResponseBodies: {
        [rateBody]: {
          contentType: "APPLICATION_JSON",
          content: errorTemplate(rateLimited(requestsPerSecondOfAddress, retryAfterSeconds)),
        },
      },
    });
    new CfnWebACLAssociation(this, "Association", {
      resourceArn: props.stage.stageArn,
      webAclArn: acl.attrArn,
    });
  }
}

const rateBody = "rate-limited";

function rateRule(priority: number): CfnWebACL.RuleProperty {
  return {
    name: "RateOfAddress",
    priority,
    statement: {
      rateBasedStatement: {
        aggregateKeyType: "IP",
        evaluationWindowSec: rateWindowSeconds,
        limit: requestsPerSecondOfAddress * rateWindowSeconds,
      },
    },
    action: {
      block: {
        customResponse: {
          responseCode: 429,
          customResponseBodyKey: rateBody,
          responseHeaders: [
            { name: "Retry-After", value: String(retryAfterSeconds) },
            { name: "Strict-Transport-Security", value: strictTransportSecurity },
          ],
        },
      },
    },
    visibilityConfig: visibility("RateOfAddress"),
  };
}

function managedRule(
  [name, counted]: readonly [string, readonly string[]],
  index: number,
): CfnWebACL.RuleProperty {
  return {
    name,
    // The rate limit for each address has the first priority.
    priority: index + 1,
    statement: {
      managedRuleGroupStatement: {
        vendorName: "AWS",
        name,
        ...(counted.length > 0 && {
          ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
        }),
      },
    },
    overrideAction: { none: {} },
    visibilityConfig: visibility(name),
  };
}

/** @param metricName must not be `All` or `Default_Action`, which AWS WAF reserves */
const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});
