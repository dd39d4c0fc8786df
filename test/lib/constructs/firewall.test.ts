import { describe, expect, it } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { propertiesOf, resourcesOf, synthesize } from "../synthesize.ts";

interface Rule {
  readonly Name: string;
  readonly Priority: number;
  readonly Action?: unknown;
  readonly Statement: {
    readonly RateBasedStatement?: { readonly Limit: number; readonly EvaluationWindowSec: number };
    readonly ManagedRuleGroupStatement?: {
      readonly RuleActionOverrides?: readonly { readonly Name: string; ActionToUse: unknown }[];
    };
  };
  readonly VisibilityConfig: {
    readonly SampledRequestsEnabled: boolean;
    readonly MetricName: string;
  };
}

describe("the firewall", () => {
  const { service } = synthesize("prod");
  const [acl] = propertiesOf(service, "AWS::WAFv2::WebACL");
  const rules = acl?.["Rules"] as readonly Rule[];

  it("is attached to the stage of prod by default, and to that of dev if the context requests it", () => {
    const [stageId] = Object.keys(resourcesOf(service, "AWS::ApiGateway::Stage"));
    const [association] = propertiesOf(service, "AWS::WAFv2::WebACLAssociation");
    const [aclId] = Object.keys(resourcesOf(service, "AWS::WAFv2::WebACL"));

    expect(association?.["WebACLArn"]).toEqual({ "Fn::GetAtt": [aclId, "Arn"] });
    expect(JSON.stringify(association?.["ResourceArn"])).toContain(
      `::/restapis/",{"Ref":"Api"},"/stages/",{"Ref":"${stageId}"}`,
    );
    const wafReason = "Another firewall protects the API.";
    const without = [synthesize("prod", { waf: "false", wafReason }), synthesize("dev")];
    for (const { service: one } of without) {
      expect(resourcesOf(one, "AWS::WAFv2::WebACL")).toEqual({});
    }
    const { service: dev } = synthesize("dev", { waf: "true" });
    expect(Object.keys(resourcesOf(dev, "AWS::WAFv2::WebACL"))).toHaveLength(1);
  });

  it("limits an address to the rate of two keys, and refuses in the service's error shape", () => {
    const rate = rules.find(({ Statement }) => Statement.RateBasedStatement !== undefined);
    const { Limit, EvaluationWindowSec } = rate?.Statement.RateBasedStatement ?? {};
    const bodies = acl?.["CustomResponseBodies"] as Record<string, { Content: string }>;

    expect(Limit).toBe(2 * limits.requestsPerSecond * (EvaluationWindowSec ?? 0));
    expect(rate?.Action).toEqual({
      Block: {
        CustomResponse: {
          ResponseCode: 429,
          CustomResponseBodyKey: Object.keys(bodies)[0],
          ResponseHeaders: [
            { Name: "Retry-After", Value: "60" },
            { Name: "Strict-Transport-Security", Value: "max-age=31536000" },
          ],
        },
      },
    });
    expect(JSON.parse(Object.values(bodies)[0]?.Content ?? "")).toMatchObject({
      error: { code: "RATE_LIMITED", docs: "/docs/errors#RATE_LIMITED" },
    });
  });

  it("gives no metric a name that AWS WAF reserves", () => {
    const config = acl?.["VisibilityConfig"] as { readonly MetricName: string };
    const names = [config, ...rules.map((rule) => rule.VisibilityConfig)].map(
      (one) => one.MetricName,
    );
    expect(names).toHaveLength(rules.length + 1);
    expect(names).not.toContain("All");
    expect(names).not.toContain("Default_Action");
    expect(names.filter((name) => !/^\w{1,128}$/.test(name))).toEqual([]);
  });

  it("counts requests that the service accepts, instead of refusing them", () => {
    const counted = rules.flatMap(
      ({ Statement }) => Statement.ManagedRuleGroupStatement?.RuleActionOverrides ?? [],
    );

    expect(counted.map(({ Name }) => Name)).toEqual([
      "SizeRestrictions_BODY",
      "SizeRestrictions_QUERYSTRING",
      "GenericRFI_BODY",
      "NoUserAgent_HEADER",
    ]);
    for (const { ActionToUse } of counted) expect(ActionToUse).toEqual({ Count: {} });
  });

  it("keeps no sampled requests, which would show API keys in queries", () => {
    const visible = [acl?.["VisibilityConfig"], ...rules.map((rule) => rule.VisibilityConfig)];
    expect(visible).toHaveLength(5);
    for (const one of visible) expect(one).toMatchObject({ SampledRequestsEnabled: false });
  });

  it("evaluates the rate limit of addresses first, and gives each rule a separate priority", () => {
    const priorities = rules.map(({ Priority }) => Priority);
    expect(new Set(priorities).size).toBe(rules.length);
    expect(rules[0]?.Statement.RateBasedStatement).toBeDefined();
    expect(rules[0]?.Priority).toBe(Math.min(...priorities));
  });
});
