import type { Stage } from "aws-cdk-lib/aws-apigateway";
import { CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import { Construct } from "constructs";
import { stages } from "../config.ts";
import { rateLimited } from "../../shared/base/errors.ts";
import { type Group, groups } from "../../functions/routes.ts";
import { limits } from "../../shared/base/limits.ts";
import { strictTransportSecurity } from "../../shared/base/transport-security.ts";
import { errorTemplate } from "./gateway-responses.ts";

const rateWindowSeconds = 300;
/**
 * Rate limits for one IP address, in requests per second. A higher rate is probably an attempt to
 * guess keys. `all` equals the rate of two API keys, and `otherThanItemCalls` the rate of one key.
 * Higher limits are not possible, because `Throttle.otherCalls` must be at least three times the
 * limit of one address, for each path and method. With higher limits, the sum of the gateway's
 * limits would exceed its quota of 10,000 calls per second.
 */
export const requestsPerSecondOfAddress = {
  all: 2 * limits.requestsPerSecond,
  otherThanItemCalls: limits.requestsPerSecond,
};
const retryAfterSeconds = 60;

/**
 * Managed rule groups, each with the names of those of its rules that would block valid calls. The
 * named rules only count requests, and block none.
 */
const managedGroups: Readonly<Record<string, readonly string[]>> = {
  AWSManagedRulesAmazonIpReputationList: [],
  AWSManagedRulesKnownBadInputsRuleSet: [],
  AWSManagedRulesCommonRuleSet: [
    // Lists of IDs require bodies of up to 2 MiB and long queries.
    "SizeRestrictions_BODY",
    "SizeRestrictions_QUERYSTRING",
    // Only counted, because the URLs of webhook endpoints and S3 destinations may contain IP
    // addresses. The service checks such an address when it connects to the address.
    "GenericRFI_BODY",
    // Clients are servers, and not all of them send a User-Agent.
    "NoUserAgent_HEADER",
  ],
};

export interface FirewallProps {
  readonly stage: Stage;
}

/**
 * A web ACL for the API: AWS managed rules, and a rate limit for each address. It stores no samples
 * of requests, because a sample contains the query, which may contain an API key.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, props: FirewallProps) {
    super(scope, id);
    const acl = new CfnWebACL(this, "WebAcl", {
      description: "Protects the API of the retail product data service.",
      scope: "REGIONAL",
      defaultAction: { allow: {} },
      visibilityConfig: visibility("WebAcl"),
      rules: [...rateRules, ...Object.entries(managedGroups).map(managedRule)],
      customResponseBodies: {
        [bodyOf("RateOfAddress")]: rateBody(requestsPerSecondOfAddress.all),
        [bodyOf("RateOfOtherCalls")]: rateBody(requestsPerSecondOfAddress.otherThanItemCalls),
      },
    });
    new CfnWebACLAssociation(this, "Association", {
      resourceArn: props.stage.stageArn,
      webAclArn: acl.attrArn,
    });
  }
}

const bodyOf = (rule: string): string => `${rule}-429`;

const rateBody = (requestsPerSecond: number): CfnWebACL.CustomResponseBodyProperty => ({
  contentType: "APPLICATION_JSON",
  content: errorTemplate(rateLimited(requestsPerSecond, retryAfterSeconds)),
});

const itemRoots = Object.values<Group>(groups)
  .filter(({ itemCalls }) => itemCalls)
  .flatMap(({ roots }) => roots);

/**
 * Matches requests with a path of an item call. The path may begin with the stage, as in an
 * execute-api URL.
 */
const toItemCalls: CfnWebACL.StatementProperty = {
  regexMatchStatement: {
    fieldToMatch: { uriPath: {} },
    regexString: `^(/(${stages.join("|")}))?/v1/(${itemRoots.join("|")})(/|$)`,
    textTransformations: [{ priority: 0, type: "NONE" }],
  },
};

const rateRules: readonly CfnWebACL.RuleProperty[] = [
  rateRule("RateOfAddress", 0, { limit: requestsPerSecondOfAddress.all * rateWindowSeconds }),
  rateRule("RateOfOtherCalls", 1, {
    limit: requestsPerSecondOfAddress.otherThanItemCalls * rateWindowSeconds,
    scopeDownStatement: { notStatement: { statement: toItemCalls } },
  }),
];

/**
 * Creates a rule that blocks an IP address with 429 while it exceeds a rate. AWS WAF evaluates
 * rules with a lower `priority` first.
 * @param rate.limit maximum number of requests in 300 seconds
 */
function rateRule(
  name: string,
  priority: number,
  rate: Pick<CfnWebACL.RateBasedStatementProperty, "limit" | "scopeDownStatement">,
): CfnWebACL.RuleProperty {
  return {
    name,
    priority,
    statement: {
      rateBasedStatement: {
        aggregateKeyType: "IP",
        evaluationWindowSec: rateWindowSeconds,
        ...rate,
      },
    },
    action: {
      block: {
        customResponse: {
          responseCode: 429,
          customResponseBodyKey: bodyOf(name),
          responseHeaders: [
            { name: "Retry-After", value: String(retryAfterSeconds) },
            { name: "Strict-Transport-Security", value: strictTransportSecurity },
          ],
        },
      },
    },
    visibilityConfig: visibility(name),
  };
}

/** Creates the rule of a managed rule group. The rules in `counted` only count requests. */
function managedRule(
  [name, counted]: readonly [string, readonly string[]],
  index: number,
): CfnWebACL.RuleProperty {
  return {
    name,
    // The rate rules come first, with the priorities from 0.
    priority: index + rateRules.length,
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

/**
 * Returns the settings of a rule's metric.
 * @param metricName must not be `All` or `Default_Action`, which AWS WAF reserves
 */
function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}
