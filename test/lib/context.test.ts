import type { App } from "aws-cdk-lib";
import type { Template } from "aws-cdk-lib/assertions";
import { afterEach, describe, expect, it } from "vitest";
import { buildApp, stackName } from "../../lib/build-app.ts";
import { resourcesOf, synthesize, variablesOf } from "./synthesize.ts";

const contextVariable = "CDK_CONTEXT_JSON";
const certificateArn = "arn:aws:acm:eu-central-1:123456789012:certificate/0f0f-1111";

const { service: dev } = synthesize("dev", { waf: false });
const { service: buffered } = synthesize("dev", { waf: true, responseMode: "buffered" });

afterEach(() => {
  delete process.env[contextVariable];
});

/** The app as the command line would have it built with these `-c`. */
function appWith(context: Readonly<Record<string, unknown>>): App {
  process.env[contextVariable] = JSON.stringify(context);
  return buildApp({ bundle: false });
}

const prodStackOf = (app: App): unknown => app.node.tryFindChild(stackName("prod", "data"));

function modeOf(service: Template): unknown {
  const products = Object.values(resourcesOf(service, "AWS::Lambda::Function"))
    .map(({ Properties }) => variablesOf(Properties))
    .find((variables) => variables["POWERTOOLS_SERVICE_NAME"] === "products");
  return products?.["RESPONSE_MODE"];
}

function warningsOf(app: App): readonly string[] {
  return app.node.metadata
    .filter(({ type }) => type === "aws:cdk:warning")
    .map(({ data }) => String(data));
}

describe("context", () => {
  it("chooses the stage, dev unless it says otherwise", () => {
    expect(prodStackOf(appWith({}))).toBeUndefined();
    expect(prodStackOf(appWith({ stage: "prod" }))).toBeDefined();
  });

  it("given in code wins over what the command line says", () => {
    process.env[contextVariable] = JSON.stringify({ stage: "prod" });
    expect(prodStackOf(buildApp({ bundle: false, context: { stage: "dev" } }))).toBeUndefined();
  });

  it("tells the products function how the gateway passes its answers on", () => {
    expect(modeOf(dev)).toBe("stream");
    expect(modeOf(buffered)).toBe("buffered");
  });

  it("takes a word for true as cdk.json and as the command line write it", () => {
    const firewallsIn = (service: Template): number =>
      Object.keys(resourcesOf(service, "AWS::WAFv2::WebACL")).length;

    expect(firewallsIn(buffered)).toBe(1);
    expect(firewallsIn(synthesize("dev", { waf: "true" }).service)).toBe(1);
    expect(firewallsIn(dev)).toBe(0);
  });

  it.each([
    [{ stage: "test" }, "Context 'stage' must be one of: dev, prod."],
    [{ responseMode: "fast" }, "Context 'responseMode' must be one of: stream, buffered."],
    [{ accessLogs: "yes" }, "Context 'accessLogs' must be one of: off, on, setup."],
    [{ reservedConcurrency: "0" }, "Context 'reservedConcurrency' must be one of: on, off."],
    [{ waf: "ture" }, "Context 'waf' must be one of: true, false."],
    [{ domainName: "https://a.example", certificateArn }, "'domainName' must be a host name"],
    [{ domainName: "a.example" }, "Context 'domainName' needs 'certificateArn'"],
    [{ domainName: "a.example", certificateArn: "arn" }, "'certificateArn' must be the ARN"],
    [{ certificateArn }, "Context 'certificateArn' goes with 'domainName'."],
    [{ hostedZoneId: "Z123" }, "Context 'hostedZoneId' goes with 'domainName'."],
    [{ domainName: "a.example", certificateArn, hostedZoneId: "zone" }, "'hostedZoneId' must be"],
    [{ unprotect: true }, "Context 'unprotect' must be the name of the data stack"],
  ])("refuses %j and says what it takes", (context, message) => {
    expect(() => appWith(context)).toThrow(message);
  });

  it.each(["domain-name", "Waf", "responsemode"])("refuses %s, which is almost a key", (key) => {
    expect(() => appWith({ [key]: "x" })).toThrow(`Context '${key}' is unknown: '`);
  });

  it("warns of a key that nothing reads, and not of the CDK's own", () => {
    expect(warningsOf(appWith({ wafs: "true", "vpc-provider:account=1": {} }))).toEqual([
      expect.stringContaining("Nothing reads the context 'wafs'."),
    ]);
    expect(warningsOf(appWith({ stage: "prod", waf: "true" }))).toEqual([]);
  });
});
