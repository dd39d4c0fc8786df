import type { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { groups } from "../../../functions/routes.ts";
import manifest from "../../../package.json" with { type: "json" };
import {
  aliasIds,
  functionIds,
  nameOf,
  propertiesOf,
  resourcesOf,
  synthesize,
} from "../synthesize.ts";

const { service } = synthesize("prod");
const functions = resourcesOf(service, "AWS::Lambda::Function");

describe("every Lambda function", () => {
  it("runs on Node 24 and arm64, and has the handler in its folder", () => {
    for (const properties of propertiesOf(service, "AWS::Lambda::Function")) {
      expect(properties).toMatchObject({
        Runtime: "nodejs24.x",
        Architectures: ["arm64"],
        Handler: "index.handler",
      });
    }
  });

  it("writes to a separate log group with a retention time", () => {
    const logGroups = Object.values(functions).map(({ Properties }) =>
      JSON.stringify(Properties["LoggingConfig"]),
    );

    expect(new Set(logGroups).size).toBe(Object.keys(functions).length);
    const ids = JSON.stringify(logGroups);
    for (const id of Object.keys(resourcesOf(service, "AWS::Logs::LogGroup"))) {
      if (!id.startsWith("ApiAccessLogs")) expect(ids).toContain(id);
    }
    for (const properties of propertiesOf(service, "AWS::Logs::LogGroup")) {
      expect(properties).toMatchObject({ RetentionInDays: 30 });
    }
  });

  it("has one alias, which points to the version of this deployment", () => {
    const versions = resourcesOf(service, "AWS::Lambda::Version");
    const aliases = resourcesOf(service, "AWS::Lambda::Alias");

    expect([...aliasIds(service).keys()].toSorted()).toEqual(
      [...functionIds(service).keys()].toSorted(),
    );
    for (const { Properties } of Object.values(aliases)) {
      expect(Properties["Name"]).toBe("live");
      const version = Properties["FunctionVersion"] as { "Fn::GetAtt": [string, string] };
      const [versionId, attribute] = version["Fn::GetAtt"];
      expect(attribute).toBe("Version");
      expect(versions[versionId]?.Properties["FunctionName"]).toEqual(Properties["FunctionName"]);
    }
    expect(Object.keys(versions)).toHaveLength(Object.keys(aliases).length);
  });

  it("contains the name of the release in its description", () => {
    for (const { Description } of propertiesOf(service, "AWS::Lambda::Function")) {
      expect(Description).toMatch(new RegExp(`^[A-Z].+\\. Release ${manifest.version}\\.$`));
    }
  });

  it("is invoked only through its alias", () => {
    const ids = [...functionIds(service).values()];
    const callers = [
      "AWS::ApiGateway::Method",
      "AWS::Lambda::EventSourceMapping",
      "AWS::Lambda::Permission",
      "AWS::Scheduler::Schedule",
    ];
    for (const type of callers) {
      const text = JSON.stringify(propertiesOf(service, type));
      expect(ids.filter((id) => text.includes(`"${id}"`))).toEqual([]);
    }
  });

  it("may send messages to the queue that invokes the function only if it is 'delivery' or 'run-step'", () => {
    const feedingThemselves = [...functionIds(service)]
      .filter(([, id]) => functions[id]?.Properties["RecursiveLoop"] === "Allow")
      .map(([name]) => name)
      .sort();

    expect(feedingThemselves).toEqual(["delivery", "run-step"]);
  });

  it("has a timeout of 300 seconds if it streams API responses, and of 29 seconds if it buffers API responses", () => {
    for (const [name, group] of Object.entries(groups)) {
      const properties = functions[functionIds(service).get(name) ?? ""]?.Properties;

      expect(properties?.["Timeout"]).toBe(group.streaming ? 300 : 29);
    }
  });

  it("has a timeout of two minutes if it is the sweeper", () => {
    expect(propertiesOf(service, "AWS::Lambda::Function")).toContainEqual(
      expect.objectContaining({
        Timeout: 120,
        Environment: { Variables: expect.objectContaining({ POWERTOOLS_SERVICE_NAME: "sweeper" }) },
      }),
    );
  });
});

interface Bound {
  readonly MaximumConcurrency: number;
}

describe("reserved concurrency", () => {
  const reservedIn = (template: Template): Record<string, unknown> =>
    Object.fromEntries(
      propertiesOf(template, "AWS::Lambda::Function")
        .map((properties) => [nameOf(properties), properties["ReservedConcurrentExecutions"]])
        .filter(([, reserved]) => reserved !== undefined),
    );

  it("limits slow calls in prod, and leaves concurrency for other calls, the workers and the sweeper", () => {
    const reserved = {
      products: 370,
      offers: 180,
      "webhook-endpoints": 30,
      "s3-destination": 30,
      sweeper: 3,
      "run-starter": 10,
      "run-step": 60,
      "run-finisher": 10,
      delivery: 100,
      "backtest-runner": 5,
    };
    expect(reservedIn(service)).toEqual(reserved);
    const mappings = propertiesOf(service, "AWS::Lambda::EventSourceMapping");
    const bounds = mappings.map(({ ScalingConfig }) => (ScalingConfig as Bound).MaximumConcurrency);
    expect(bounds.toSorted((a, b) => a - b)).toEqual([5, 10, 10, 60, 100]);
  });

  it("is smaller in an AWS account with a smaller quota, and absent if the quota leaves nothing to reserve", () => {
    const half = reservedIn(synthesize("prod", { accountConcurrency: "500" }).service);
    expect(half).toMatchObject({ products: 185, "s3-destination": 15, sweeper: 2, "run-step": 30 });
    const { service: tiny } = synthesize("prod", { accountConcurrency: "10" });
    expect(reservedIn(tiny)).toEqual({});
    for (const { ScalingConfig } of propertiesOf(tiny, "AWS::Lambda::EventSourceMapping")) {
      expect(ScalingConfig).toEqual({ MaximumConcurrency: 2 });
    }
  });

  it("is absent in dev, and in prod if the context turns reserved concurrency off", () => {
    expect(reservedIn(synthesize("dev").service)).toEqual({});
    expect(reservedIn(synthesize("prod", { reservedConcurrency: "off" }).service)).toEqual({});
  });
});

describe("with buffered responses,", () => {
  it("every API function has the gateway's timeout of 29 seconds", () => {
    const { service: buffered } = synthesize("prod", { responseMode: "buffered" });
    const groupNames = new Set<string>(Object.keys(groups));
    const timeouts = propertiesOf(buffered, "AWS::Lambda::Function")
      .filter((properties) => groupNames.has(nameOf(properties)))
      .map((properties) => properties["Timeout"]);
    expect(timeouts).toHaveLength(groupNames.size);
    expect(new Set(timeouts)).toEqual(new Set([29]));
  });
});
