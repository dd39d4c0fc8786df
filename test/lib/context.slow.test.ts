import type { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { environment } from "../../functions/environment.ts";
import { buildApp, stackName } from "../../lib/build-app.ts";
import { sandboxSources } from "../../lib/config.ts";
import { propertiesOf, resourcesOf, synthesize, variablesOf } from "./synthesize.ts";

const contextVariable = "CDK_CONTEXT_JSON";
const certificateArn = "arn:aws:acm:eu-central-1:123456789012:certificate/0f0f-1111";

const { service: dev } = synthesize("dev", { waf: false });
const { service: buffered } = synthesize("dev", { waf: true, responseMode: "buffered" });

afterEach(() => {
  delete process.env[contextVariable];
});

/** Returns the app that the command line builds with these `-c` values. */
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

describe("the CDK context", () => {
  it("chooses the stage, and the default stage is dev", () => {
    expect(prodStackOf(appWith({}))).toBeUndefined();
    expect(prodStackOf(appWith({ stage: "prod", sources: "sandbox" }))).toBeDefined();
  });

  it("that code passes to the app overrides the context of the command line", () => {
    process.env[contextVariable] = JSON.stringify({ stage: "prod" });
    expect(prodStackOf(buildApp({ bundle: false, context: { stage: "dev" } }))).toBeUndefined();
  });

  it("configures the products function for streamed or buffered responses", () => {
    expect(modeOf(dev)).toBe("stream");
    expect(modeOf(buffered)).toBe("buffered");
  });

  it('accepts the boolean true and the string "true" as the same value', () => {
    const firewallsIn = (service: Template): number =>
      Object.keys(resourcesOf(service, "AWS::WAFv2::WebACL")).length;

    expect(firewallsIn(buffered)).toBe(1);
    expect(firewallsIn(synthesize("dev", { waf: "true" }).service)).toBe(1);
    expect(firewallsIn(dev)).toBe(0);
  });

  it("passes the demo workspace's key to the dashboard, and to no other function", () => {
    const demoApiKey = `svc_demo_${"0".repeat(38)}`;
    const keysIn = (service: Template): readonly unknown[] =>
      Object.values(resourcesOf(service, "AWS::Lambda::Function")).flatMap(({ Properties }) => {
        const value = variablesOf(Properties)["DEMO_API_KEY"];
        return value === undefined ? [] : [value];
      });

    expect(keysIn(synthesize("dev", { demoApiKey }).service)).toEqual([demoApiKey]);
    expect(keysIn(dev)).toEqual(["none"]);
  });

  it.each(["previous", "next"])(
    "passes the value '%s' of storedVersions to every function",
    (versions) => {
      const versionsIn = (service: Template): readonly unknown[] =>
        Object.values(resourcesOf(service, "AWS::Lambda::Function")).map(
          ({ Properties }) => variablesOf(Properties)["STORED_VERSIONS"],
        );
      const { service } = synthesize("dev", { storedVersions: versions });
      const given = versionsIn(service);

      expect(given.filter((value) => value === versions)).toHaveLength(
        Object.keys(environment).length,
      );
      expect(versionsIn(dev).filter((value) => value !== undefined)).toEqual([]);
      expect(service.findOutputs("StoredVersions")).toMatchObject({
        StoredVersions: { Value: versions },
      });
      expect(dev.findOutputs("StoredVersions")).toEqual({});
    },
  );

  it.each([
    [{ stage: "test" }, `Context key 'stage' must be one of: dev, prod (got "test").`],
    [
      { responseMode: "fast" },
      `Context key 'responseMode' must be one of: stream, buffered (got "fast").`,
    ],
    [
      { deployment: "canary" },
      "Context key 'deployment' must be one of: all-at-once, canary-10-percent-5-minutes, linear-10-percent-every-1-minute (got \"canary\").",
    ],
    [
      { storedVersions: "2" },
      `Context key 'storedVersions' must be one of: current, previous, next (got "2").`,
    ],
    [{ accessLogs: "yes" }, `Context key 'accessLogs' must be one of: off, on, setup (got "yes").`],
    [
      { reservedConcurrency: "0" },
      `Context key 'reservedConcurrency' must be one of: on, off (got "0").`,
    ],
    [
      { accountConcurrency: "few" },
      "Context key 'accountConcurrency' must be the AWS account's quota",
    ],
    [{ accountConcurrency: "8" }, "leave 0 of the AWS account's quota of 8 for other functions"],
    [{ waf: "ture" }, `Context key 'waf' must be one of: true, false (got "ture").`],
    [
      { stage: "prod", sources: "sandbox", waf: "false" },
      "If context key 'waf' is false, this stage requires 'wafReason'. Set 'wafReason' to the reason",
    ],
    [
      { stage: "prod", sources: "sandbox", waf: "false", wafReason: "too short" },
      "Context key 'wafReason' must be the reason for 'waf' false",
    ],
    [
      { wafReason: "Another firewall protects the API." },
      "Context key 'wafReason' is set, but 'waf' is not false.",
    ],
    [{ eventBus: "yes" }, `Context key 'eventBus' must be one of: on, off (got "yes").`],
    [
      { eventBus: "on", eventBusArchiveDays: "0" },
      "'eventBusArchiveDays' must be a number of days",
    ],
    [{ eventBus: "on", eventBusArchiveDays: "3651" }, "from 1 to 3650"],
    [
      { eventBusArchiveDays: "30" },
      "Context key 'eventBusArchiveDays' requires 'eventBus' to be on.",
    ],
    [{ analytics: "yes" }, `Context key 'analytics' must be one of: on, off (got "yes").`],
    [{ eventBusSchemas: "on" }, "Context key 'eventBusSchemas' requires 'eventBus' to be on."],
    [{ backups: "daily" }, `Context key 'backups' must be one of: on, off (got "daily").`],
    [{ backups: "on", backupCopyVault: "eu-west-1" }, "'backupCopyVault' must be the ARN"],
    [
      { backupCopyVault: "arn:aws:backup:eu-west-1:123456789012:backup-vault:copies" },
      "Context key 'backupCopyVault' requires 'backups' to be on.",
    ],
    [{ domainName: "https://a.example", certificateArn }, "'domainName' must be a host name"],
    [{ domainName: "a.example" }, "Context key 'domainName' requires 'certificateArn'"],
    [{ domainName: "a.example", certificateArn: "arn" }, "'certificateArn' must be the ARN"],
    [{ certificateArn }, "Context key 'certificateArn' requires 'domainName'."],
    [{ hostedZoneId: "Z123" }, "Context key 'hostedZoneId' requires 'domainName'."],
    [{ domainName: "a.example", certificateArn, hostedZoneId: "zone" }, "'hostedZoneId' must be"],
    [
      { demoApiKey: `svc_live_${"0".repeat(38)}` },
      "'demoApiKey' must be a key of the demo workspace",
    ],
    [{ unprotect: true }, "Context key 'unprotect' must be the name of the data stack"],
  ])("is refused if the context is %j, with the error: %s", (context, message) => {
    expect(() => appWith(context)).toThrow(message);
  });

  it.each(["domain-name", "Waf", "responsemode"])(
    "is refused if it contains a misspelled key: '%s'",
    (key) => {
      expect(() => appWith({ [key]: "x" })).toThrow(
        `Context key '${key}' is unknown. Did you mean '`,
      );
    },
  );

  it("causes a warning if it contains an unknown key, but not for keys of the CDK", () => {
    expect(warningsOf(appWith({ wafs: "true", "vpc-provider:account=1": {} }))).toEqual([
      expect.stringContaining("Context key 'wafs' is unknown and has no effect."),
    ]);
    expect(warningsOf(appWith({ stage: "dev", waf: "true" }))).toEqual([]);
  });
});

describe("the sources of a stage", () => {
  it("must be set in prod, including the sandbox if the deployment uses it", () => {
    expect(() => appWith({ stage: "prod" })).toThrow(
      /Stage prod has no sources\. Set -c sources=.+ stages\/prod\.json\. -c sources=sandbox serves invented/,
    );
    expect(prodStackOf(appWith({ stage: "prod", sources: "sandbox" }))).toBeDefined();
    expect(prodStackOf(appWith({ stage: "prod", sourcesParameter: "/sources" }))).toBeDefined();
  });

  it("are the sandbox in dev, even if the context names no sources", () => {
    const sourcesIn = (context: Readonly<Record<string, unknown>>): ReadonlySet<unknown> => {
      const { template } = appWith(context).synth().getStackByName(stackName("dev", "service"));
      const functions = propertiesOf(
        Template.fromJSON(template as object),
        "AWS::Lambda::Function",
      );
      return new Set(functions.flatMap((one) => variablesOf(one)["SOURCES"] ?? []));
    };
    const sandbox = new Set([JSON.stringify(sandboxSources)]);
    expect(sourcesIn({})).toEqual(sandbox);
    expect(sourcesIn({ sources: "sandbox" })).toEqual(sandbox);
  });
});

describe("the context file of a stage", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "stages-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function appWithFile(content: unknown, context: Readonly<Record<string, unknown>> = {}): App {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(join(folder, "prod.json"), text);
    process.env[contextVariable] = JSON.stringify({ stage: "prod", ...context });
    return buildApp({ bundle: false, stageFiles: folder });
  }

  const quotaOf = (app: App): unknown => app.node.tryGetContext("accountConcurrency");

  it("sets only the context keys that are not on the command line", () => {
    const kept = { sources: "sandbox", accountConcurrency: 500, waf: true };
    expect(quotaOf(appWithFile(kept))).toBe(500);
    expect(quotaOf(appWithFile(kept, { accountConcurrency: "600" }))).toBe("600");
    const aclsIn = (app: App): number =>
      app.node.findAll().filter(({ node }) => node.id === "WebAcl").length;
    expect(aclsIn(appWithFile(kept))).toBe(1);
    const wafReason = "Another firewall protects the API.";
    expect(aclsIn(appWithFile(kept, { waf: "false", wafReason }))).toBe(0);
    expect(aclsIn(appWithFile({ sources: "sandbox" }))).toBe(1);
  });

  it("is used only for the stage in its name, and only if a folder of context files is configured", () => {
    appWithFile({ sources: "sandbox" });
    process.env[contextVariable] = JSON.stringify({ stage: "prod" });
    expect(() => buildApp({ bundle: false })).toThrow("Stage prod has no sources.");
    process.env[contextVariable] = JSON.stringify({ stage: "dev" });
    expect(quotaOf(buildApp({ bundle: false, stageFiles: folder }))).toBeUndefined();
  });

  it("may contain the complete source configuration, and is refused if a source lacks a required option", () => {
    const stack = (app: App): string => JSON.stringify(app.synth().stacks.map((s) => s.template));
    const sources = { ...sandboxSources, "retailer_a.lite": { adapter: "upstream" } };
    expect(() => appWithFile({ sources })).toThrow("SOURCES: retailer_a.lite.baseUrl");
    expect(stack(appWithFile({ sources: sandboxSources }))).toContain("retailer_a.pulse");
  });

  it.each([
    ["{", "prod.json must be a JSON object of context keys"],
    ["[]", "prod.json must be a JSON object of context keys"],
    ['{"wafs": true}', "prod.json: 'wafs' is unknown. Known keys: responseMode,"],
    ['{"stage": "prod"}', "prod.json: 'stage' is not allowed in a file"],
    ['{"unprotect": "x"}', "prod.json: 'unprotect' is not allowed in a file"],
    [
      '{"sources": "sandbox", "waf": "ture"}',
      `Context key 'waf' must be one of: true, false (got "ture").`,
    ],
  ])("is refused with the content '%s'", (content, message) => {
    expect(() => appWithFile(content)).toThrow(message);
  });
});
