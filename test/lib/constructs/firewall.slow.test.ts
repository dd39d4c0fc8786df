import { object, parse, string } from "valibot";
import { describe, expect, it } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { propertiesOf, resourcesOf, synthesize } from "../synthesize.ts";

interface Rule {
  readonly Name: string;
  readonly Priority: number;
  readonly Action?: unknown;
  readonly Statement: {
    readonly RateBasedStatement?: {
      readonly Limit: number;
      readonly EvaluationWindowSec: number;
      readonly ScopeDownStatement?: unknown;
    };
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

  it("is attached to the API in prod by default, and in dev if the context requests it", () => {
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

  it.each([
    ["RateOfAddress", 2],
    ["RateOfOtherCalls", 1],
  ])(
    "limits an IP address with the rule %s to %i times the rate of an API key, and refuses further calls in the API's error format",
    (name, keys) => {
      const rate = rules.find(({ Name }) => Name === name);
      const { Limit, EvaluationWindowSec } = rate?.Statement.RateBasedStatement ?? {};
      const bodies = acl?.["CustomResponseBodies"] as Record<string, { Content: string }>;

      expect(Limit).toBe(keys * limits.requestsPerSecond * (EvaluationWindowSec ?? 0));
      expect(rate?.Action).toEqual({
        Block: {
          CustomResponse: {
            ResponseCode: 429,
            CustomResponseBodyKey: `${name}-429`,
            ResponseHeaders: [
              { Name: "Retry-After", Value: "60" },
              { Name: "Strict-Transport-Security", Value: "max-age=31536000" },
            ],
          },
        },
      });
      const { error } = JSON.parse(bodies[`${name}-429`]?.Content ?? "") as {
        error: Record<string, string>;
      };
      expect(error).toMatchObject({ code: "RATE_LIMITED", docs: "/docs/errors#RATE_LIMITED" });
      expect(error["message"]).toContain(`${keys * limits.requestsPerSecond} calls`);
    },
  );

  it("counts all calls except item calls towards the lower of the two rate limits of an IP address", () => {
    const rate = rules.find(({ Name }) => Name === "RateOfOtherCalls")?.Statement;
    const scope = JSON.stringify(rate?.RateBasedStatement?.ScopeDownStatement);
    const found = parse(
      object({
        NotStatement: object({
          Statement: object({ RegexMatchStatement: object({ RegexString: string() }) }),
        }),
      }),
      JSON.parse(scope),
    );
    const itemCalls = new RegExp(found.NotStatement.Statement.RegexMatchStatement.RegexString);

    for (const path of ["/v1/products", "/prod/v1/products/B0/offers", "/v1/offers/check"])
      expect(path).toMatch(itemCalls);
    for (const path of ["/v1/structured/v1/products", "/v1/productsx", "/docs/v1/offers", "/v1"])
      expect(path).not.toMatch(itemCalls);
  });

  it("uses no metric name that AWS WAF reserves", () => {
    const config = acl?.["VisibilityConfig"] as { readonly MetricName: string };
    const names = [config, ...rules.map((rule) => rule.VisibilityConfig)].map(
      (one) => one.MetricName,
    );
    expect(names).toHaveLength(rules.length + 1);
    expect(names).not.toContain("All");
    expect(names).not.toContain("Default_Action");
    expect(names.filter((name) => !/^\w{1,128}$/.test(name))).toEqual([]);
  });

  it("does not block requests that the service accepts, even if they match a managed rule", () => {
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

  it("stores no sampled requests", () => {
    const visible = [acl?.["VisibilityConfig"], ...rules.map((rule) => rule.VisibilityConfig)];
    expect(visible).toHaveLength(6);
    for (const one of visible) expect(one).toMatchObject({ SampledRequestsEnabled: false });
  });

  it("evaluates the rate limits of IP addresses first, and gives each rule a separate priority", () => {
    const priorities = rules.map(({ Priority }) => Priority);
    expect(new Set(priorities).size).toBe(rules.length);
    expect(priorities).toEqual(priorities.toSorted((one, other) => one - other));
    for (const rule of rules.slice(0, 2)) expect(rule.Statement.RateBasedStatement).toBeDefined();
  });
});
