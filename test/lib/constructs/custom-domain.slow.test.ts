import type { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { propertiesOf, resourcesOf, synthesize } from "../synthesize.ts";

const domain = {
  domainName: "api.shop.example",
  certificateArn: "arn:aws:acm:us-east-1:123456789012:certificate/0f0f-1111",
};
const outputsOf = (template: Template): Record<string, { Value: unknown }> =>
  template.toJSON()["Outputs"] as Record<string, { Value: unknown }>;

describe("a custom domain", () => {
  const { service } = synthesize("prod", domain);

  it("maps its root path to the stage, over TLS 1.2 with the configured certificate", () => {
    expect(resourcesOf(service, "AWS::ApiGateway::DomainName")).toEqual({
      ApiDomain: expect.objectContaining({
        Properties: expect.objectContaining({
          DomainName: domain.domainName,
          RegionalCertificateArn: domain.certificateArn,
          EndpointConfiguration: { Types: ["REGIONAL"] },
          SecurityPolicy: "TLS_1_2",
        }),
      }),
    });
    // A base path would be part of the path that the functions get, so they would find no route.
    const [stageId] = Object.keys(resourcesOf(service, "AWS::ApiGateway::Stage"));
    expect(propertiesOf(service, "AWS::ApiGateway::BasePathMapping")).toEqual([
      { DomainName: { Ref: "ApiDomain" }, RestApiId: { Ref: "Api" }, Stage: { Ref: stageId } },
    ]);
  });

  it("has an output with the DNS target if the context names no zone", () => {
    expect(resourcesOf(service, "AWS::Route53::RecordSet")).toEqual({});
    expect(outputsOf(service)).toMatchObject({
      ApiUrl: { Value: "https://api.shop.example/" },
      DomainTarget: { Value: { "Fn::GetAtt": ["ApiDomain", "RegionalDomainName"] } },
    });
  });

  it("has a DNS record in the configured zone", () => {
    const zoned = synthesize("prod", { ...domain, hostedZoneId: "Z0123456789ABC" }).service;
    expect(propertiesOf(zoned, "AWS::Route53::RecordSet")).toEqual([
      {
        Name: "api.shop.example.",
        Type: "A",
        HostedZoneId: "Z0123456789ABC",
        AliasTarget: {
          DNSName: { "Fn::GetAtt": ["ApiDomain", "RegionalDomainName"] },
          HostedZoneId: { "Fn::GetAtt": ["ApiDomain", "RegionalHostedZoneId"] },
        },
      },
    ]);
    expect(outputsOf(zoned)).not.toHaveProperty("DomainTarget");
  });

  it("is the only address of the API if the context names a domain", () => {
    const [api] = propertiesOf(service, "AWS::ApiGateway::RestApi");
    expect(api).toMatchObject({ DisableExecuteApiEndpoint: true });

    const { service: without } = synthesize("prod");
    expect(resourcesOf(without, "AWS::ApiGateway::DomainName")).toEqual({});
    const [reachable] = propertiesOf(without, "AWS::ApiGateway::RestApi");
    expect(reachable).not.toHaveProperty("DisableExecuteApiEndpoint");
    expect(JSON.stringify(outputsOf(without)["ApiUrl"])).toContain(".execute-api.");
  });

  it("causes a new deployment of the API that disables the gateway's default address", () => {
    const deploymentOf = (template: Template): string[] =>
      Object.keys(resourcesOf(template, "AWS::ApiGateway::Deployment"));
    expect(deploymentOf(service)).toHaveLength(1);
    expect(deploymentOf(service)).not.toEqual(deploymentOf(synthesize("prod").service));
  });

  it("is passed as an environment variable to the functions that compare the addresses of calls with it", () => {
    const domainsIn = (template: Template): unknown[] =>
      propertiesOf(template, "AWS::Lambda::Function").flatMap(({ Environment }) => {
        const { Variables } = Environment as { Variables: Record<string, unknown> };
        return "DOMAIN_NAME" in Variables ? [Variables["DOMAIN_NAME"]] : [];
      });
    expect(domainsIn(service)).toEqual(Array(3).fill("api.shop.example"));
    expect(domainsIn(synthesize("prod").service)).toEqual(Array(3).fill("none"));
  });
});
