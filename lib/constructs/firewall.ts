import type { Stage } from "aws-cdk-lib/aws-apigateway";
import { CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import { Construct } from "constructs";
import { rateLimited } from "../../shared/base/errors.ts";
import { limits } from "../../shared/base/limits.ts";
import { errorTemplate } from "./gateway-responses.ts";

const rateWindowSeconds = 300;
/** Two keys at full rate behind one address: above it no customer calls, but somebody tries keys. */
const requestsPerSecondOfAddress = 2 * limits.requestsPerSecond;
const retryAfterSeconds = 60;

/** Rules of a managed group that would refuse calls which the service takes: they only count. */
const managedGroups: Readonly<Record<string, readonly string[]>> = {
  AWSManagedRulesAmazonIpReputationList: [],
  AWSManagedRulesKnownBadInputsRuleSet: [],
  AWSManagedRulesCommonRuleSet: [
    // Lists of ids: bodies up to 2 MiB, and queries to match.
    "SizeRestrictions_BODY",
    "SizeRestrictions_QUERYSTRING",
    // Webhook receivers and stores may be named by their address; where the service connects is
    // checked at the connection.
    "GenericRFI_BODY",
    // Servers call this API, and not all of them say what they are.
    "NoUserAgent_HEADER",
  ],
};

export interface FirewallProps {
  readonly stage: Stage;
}

/**
 * A web ACL before the API: AWS's managed rules and a limit by address. It samples no requests,
 * because a sample would show the query, where an API key may be.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, props: FirewallProps) {
    super(scope, id);
    const acl = new CfnWebACL(this, "WebAcl", {
      description: "What may call the retail product data service.",
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
          responseHeaders: [{ name: "Retry-After", value: String(retryAfterSeconds) }],
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
    // After the rule of addresses.
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

/** @param metricName not `All` or `Default_Action`, which the firewall keeps for itself */
const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});
