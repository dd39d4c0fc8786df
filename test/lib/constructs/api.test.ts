import { ResponseType } from "aws-cdk-lib/aws-apigateway";
import type { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { groups } from "../../../functions/routes.ts";
import type { Group } from "../../../functions/routes.ts";
import { stages } from "../../../lib/config.ts";
import { gatewayErrors } from "../../../lib/constructs/gateway-responses.ts";
import { aliasIds, propertiesOf, resourcesOf, synthesize } from "../synthesize.ts";

const streaming = synthesize("prod").service;
const buffered = synthesize("prod", { responseMode: "buffered" }).service;

interface Integration {
  readonly Type: string;
  readonly Uri: unknown;
  readonly ResponseTransferMode?: string;
  readonly TimeoutInMillis?: number;
}

/** Returns every method of the template as `ANY /path`, with its integration. */
function methodsOf(template: Template): Map<string, Integration> {
  const resources = resourcesOf(template, "AWS::ApiGateway::Resource");
  const pathOf = (reference: unknown): string => {
    const { Ref: id } = reference as { Ref?: string };
    const properties = resources[id ?? ""]?.Properties;
    if (properties === undefined) return "";
    return `${pathOf(properties["ParentId"])}/${properties["PathPart"] as string}`;
  };
  return new Map(
    Object.values(resourcesOf(template, "AWS::ApiGateway::Method")).map(({ Properties }) => [
      `${Properties["HttpMethod"] as string} ${pathOf(Properties["ResourceId"]) || "/"}`,
      Properties["Integration"] as Integration,
    ]),
  );
}

function expectedRoutes(): Map<string, string> {
  const routes = new Map<string, string>();
  for (const [name, group] of Object.entries(groups) as [string, Group][]) {
    const paths = [
      ...(group.handlesOtherPaths ? ["", "/v1"] : []),
      ...group.roots.map((root) => `${group.unversioned ? "" : "/v1"}/${root}`),
    ];
    for (const path of paths) {
      routes.set(`ANY ${path || "/"}`, name);
      routes.set(`ANY ${path}/{proxy+}`, name);
    }
  }
  return routes;
}

describe("the API's routes", () => {
  it("invoke the function of their group, and all other paths invoke the function for unknown paths", () => {
    const nameById = new Map([...aliasIds(streaming)].map(([name, id]) => [id, name]));
    const actual = [...methodsOf(streaming)].map(([route, { Uri }]) => {
      const id = [...nameById.keys()].find((key) => JSON.stringify(Uri).includes(`"${key}"`));
      return [route, nameById.get(id ?? "")];
    });

    expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(expectedRoutes()));
  });

  it("stream the responses of the streaming groups, with a longer timeout than the 29 seconds of buffered ones", () => {
    for (const [route, name] of expectedRoutes()) {
      const integration = methodsOf(streaming).get(route);
      const streams = groups[name as keyof typeof groups].streaming;

      expect(integration?.Type).toBe("AWS_PROXY");
      expect(integration?.ResponseTransferMode).toBe(streams ? "STREAM" : undefined);
      expect(integration?.TimeoutInMillis).toBe(streams ? 320_000 : undefined);
      expect(JSON.stringify(integration?.Uri)).toContain(
        streams ? "/response-streaming-invocations" : "/invocations",
      );
    }
  });

  it("stream no response in buffered mode", () => {
    for (const integration of methodsOf(buffered).values()) {
      expect(integration.ResponseTransferMode).toBeUndefined();
      expect(integration.TimeoutInMillis).toBeUndefined();
      expect(JSON.stringify(integration.Uri)).toContain("/2015-03-31/functions/");
    }
  });

  it("give API Gateway one permission for each group, to invoke the alias of the group's function", () => {
    const allowed = propertiesOf(streaming, "AWS::Lambda::Permission").map(
      ({ FunctionName }) => (FunctionName as { Ref: string }).Ref,
    );

    const aliases = aliasIds(streaming);
    expect(allowed.toSorted()).toEqual(
      Object.keys(groups)
        .map((name) => aliases.get(name) ?? "")
        .toSorted(),
    );
  });
});

describe("the REST API in API Gateway", () => {
  it("has an endpoint of the type regional, not edge", () => {
    expect(propertiesOf(streaming, "AWS::ApiGateway::RestApi")).toContainEqual(
      expect.objectContaining({
        EndpointConfiguration: { Types: ["REGIONAL"] },
      }),
    );
  });

  it("treats the bodies of all requests and responses as binary data, not as text", () => {
    for (const template of [streaming, buffered]) {
      expect(propertiesOf(template, "AWS::ApiGateway::RestApi")).toContainEqual(
        expect.objectContaining({ BinaryMediaTypes: ["*/*"] }),
      );
    }
  });
});

interface MethodSetting {
  readonly HttpMethod: string;
  readonly ResourcePath: string;
  readonly DataTraceEnabled: boolean;
  readonly ThrottlingRateLimit: number;
  readonly ThrottlingBurstLimit: number;
}

describe.each(stages)("the rate limits of the gateway in the stage %s", (stage) => {
  const { service } = synthesize(stage);
  const [properties] = propertiesOf(service, "AWS::ApiGateway::Stage");
  const settings = properties?.["MethodSettings"] as readonly MethodSetting[];
  const verbs = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];
  const paths = [...methodsOf(service).keys()].map((route) => route.replace("ANY ", ""));
  const [defaults, ...ofRoutes] = settings;

  it("are set for each path and method of a route, with a default for all other paths and methods", () => {
    expect(defaults).toMatchObject({ HttpMethod: "*", ResourcePath: "/*" });
    const pairs = ofRoutes.map(({ HttpMethod, ResourcePath }) => {
      const path = ResourcePath === "/" ? "/" : ResourcePath.slice(1).replaceAll("~1", "/");
      return `${HttpMethod} ${path}`;
    });
    expect(new Set(pairs).size).toBe(pairs.length);
    for (const pair of pairs) {
      expect(paths).toContain(pair.split(" ")[1]);
      // The gateway refuses settings for the method ANY, so each setting names one HTTP method.
      expect(verbs).toContain(pair.split(" ")[0]);
    }
    expect(pairs).toEqual(
      expect.arrayContaining([
        "POST /v1/products",
        "GET /v1/products/{proxy+}",
        "PUT /v1/s3_destination",
        "POST /v1/s3_destination/{proxy+}",
        "GET /",
        "GET /{proxy+}",
        "GET /v1/{proxy+}",
        "GET /v1/health",
      ]),
    );
  });

  it("are in total at most the quotas of the AWS account for calls per second and for bursts", () => {
    const others = paths.length * verbs.length - ofRoutes.length;
    const sumOf = (name: "ThrottlingRateLimit" | "ThrottlingBurstLimit"): number =>
      ofRoutes.reduce((sum, one) => sum + one[name], others * (defaults?.[name] ?? Infinity));

    expect(sumOf("ThrottlingRateLimit")).toBeLessThanOrEqual(10_000);
    expect(sumOf("ThrottlingBurstLimit")).toBeLessThanOrEqual(5_000);
    const rates = settings.map(({ ThrottlingRateLimit }) => ThrottlingRateLimit);
    expect(Math.min(...rates)).toBeGreaterThan(0);
  });

  it("are set on a gateway stage that has no tracing and no request logs", () => {
    expect(properties).toMatchObject({ StageName: stage, TracingEnabled: false });
    for (const { DataTraceEnabled } of settings) expect(DataTraceEnabled).toBe(false);
    expect(JSON.stringify(settings)).not.toContain("LoggingLevel");
  });
});

describe("the API's access logs", () => {
  const settingOf = (service: Template): { Format: string; DestinationArn: unknown } => {
    const [stage = {}] = propertiesOf(service, "AWS::ApiGateway::Stage");
    return stage["AccessLogSetting"] as { Format: string; DestinationArn: unknown };
  };
  const formatOf = (service: Template): Record<string, string> =>
    JSON.parse(settingOf(service).Format) as Record<string, string>;

  it("contain the route, but no query, no API key and no personal data", () => {
    const fields = formatOf(streaming);
    expect(fields).toMatchObject({
      request_id: "$context.requestId",
      method: "$context.httpMethod",
      resource: "$context.resourcePath",
      status: "$context.status",
      latency_ms: "$context.responseLatency",
      function_error: "$context.integrationErrorMessage",
    });
    const revealing = /\$context\.(path|identity|request\.|requestOverride|error\.message)/;
    expect(Object.values(fields).filter((value) => revealing.test(value))).toEqual([]);
  });

  it("are written to a separate log group with a retention period", () => {
    const logGroups = resourcesOf(streaming, "AWS::Logs::LogGroup");
    const id = Object.keys(logGroups).find((name) => name.startsWith("ApiAccessLogs")) ?? "";
    expect(JSON.stringify(settingOf(streaming).DestinationArn)).toContain(`{"Ref":"${id}"}`);
    expect(logGroups[id]?.Properties["RetentionInDays"]).toBe(30);
  });

  it("create the AWS account's logging role if the context value 'accessLogs' is 'setup', and keep the role when the stack is deleted", () => {
    const { service } = synthesize("prod", { accessLogs: "setup" });
    const accounts = Object.values(resourcesOf(service, "AWS::ApiGateway::Account"));
    const roles = Object.entries(resourcesOf(service, "AWS::IAM::Role"));
    const kept = roles.filter(([, role]) => role.DeletionPolicy === "Retain").map(([id]) => id);

    expect(kept).toHaveLength(1);
    expect(accounts).toEqual([
      expect.objectContaining({
        DeletionPolicy: "Retain",
        Properties: { CloudWatchRoleArn: { "Fn::GetAtt": [kept[0], "Arn"] } },
      }),
    ]);
  });

  it("leave the settings of the AWS account unchanged in prod, and do not exist in dev", () => {
    const on = synthesize("prod").service;
    const off = synthesize("dev").service;
    for (const service of [on, off]) {
      expect(resourcesOf(service, "AWS::ApiGateway::Account")).toEqual({});
    }
    expect(formatOf(synthesize("prod", { accessLogs: "setup" }).service)).toEqual(formatOf(on));
    expect(propertiesOf(off, "AWS::ApiGateway::Stage")[0]).not.toHaveProperty("AccessLogSetting");
  });
});

describe("the gateway's own error responses", () => {
  const responses = propertiesOf(streaming, "AWS::ApiGateway::GatewayResponse");
  const statusOf = (type: string): unknown =>
    responses.find((properties) => properties["ResponseType"] === type)?.["StatusCode"];

  it("are defined by the service for every response type of API Gateway", () => {
    const known = Object.values(ResponseType)
      .filter((value): value is ResponseType => value instanceof ResponseType)
      .map(({ responseType }) => responseType);
    const replaced = responses.map((properties) => properties["ResponseType"]);

    expect(known.length).toBeGreaterThan(15);
    expect(new Set(replaced)).toEqual(new Set(known));
    expect(gatewayErrors()).toHaveLength(known.length);
  });

  it.each(responses.map((properties) => [properties["ResponseType"] as string, properties]))(
    "of type %s have the service's error format, a request ID and Strict-Transport-Security",
    (_type, properties) => {
      const templates = properties["ResponseTemplates"] as Record<string, string>;
      const body = JSON.parse(templates["application/json"] ?? "") as {
        error: Record<string, string>;
      };

      expect(Object.keys(body)).toEqual(["error"]);
      expect(body.error["message"]).toMatch(/\.$/);
      expect(body.error["docs"]).toBe(`/docs/errors#${body.error["code"]}`);
      expect(properties["ResponseParameters"]).toMatchObject({
        "gatewayresponse.header.X-Request-Id": "context.requestId",
        "gatewayresponse.header.Strict-Transport-Security": "'max-age=31536000'",
      });
    },
  );

  it("set a status for each specific response type, and none for the two default types", () => {
    expect(statusOf("DEFAULT_4XX")).toBeUndefined();
    expect(statusOf("DEFAULT_5XX")).toBeUndefined();
    expect(statusOf("MISSING_AUTHENTICATION_TOKEN")).toBe("404");
    expect(statusOf("REQUEST_TOO_LARGE")).toBe("413");
    expect(statusOf("UNSUPPORTED_MEDIA_TYPE")).toBe("400");
    expect(statusOf("INTEGRATION_TIMEOUT")).toBe("503");
  });

  it("contain Retry-After and the reason if the gateway throttles a client", () => {
    const throttled = responses.find(({ ResponseType: type }) => type === "THROTTLED");
    expect(JSON.stringify(throttled?.["ResponseTemplates"])).toContain("All clients together");
    expect(propertiesOf(streaming, "AWS::ApiGateway::GatewayResponse")).toContainEqual(
      expect.objectContaining({
        ResponseType: "THROTTLED",
        StatusCode: "429",
        ResponseParameters: expect.objectContaining({
          "gatewayresponse.header.Retry-After": "'1'",
        }),
      }),
    );
  });
});
