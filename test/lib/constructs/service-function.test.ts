import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Template } from "aws-cdk-lib/assertions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { environment } from "../../../functions/environment.ts";
import { groups } from "../../../functions/routes.ts";
import { buildApp } from "../../../lib/build-app.ts";
import { sandboxSources } from "../../../lib/config.ts";
import {
  functionIds,
  propertiesOf,
  type Resource,
  resourcesOf,
  synthesize,
} from "../synthesize.ts";

const { service } = synthesize("prod");
const functions = resourcesOf(service, "AWS::Lambda::Function");

describe("every function", () => {
  it("runs on Node 24, arm64, by the handler of its folder", () => {
    for (const properties of propertiesOf(service, "AWS::Lambda::Function")) {
      expect(properties).toMatchObject({
        Runtime: "nodejs24.x",
        Architectures: ["arm64"],
        Handler: "index.handler",
      });
    }
  });

  it("writes to a log group of its own that forgets", () => {
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

  it("may feed itself by a queue only where the flow does so", () => {
    const feedingThemselves = [...functionIds(service)]
      .filter(([, id]) => functions[id]?.Properties["RecursiveLoop"] === "Allow")
      .map(([name]) => name)
      .sort();

    expect(feedingThemselves).toEqual(["delivery", "run-step"]);
  });

  it("may run for 300 seconds if it streams, and for less than the gateway waits if not", () => {
    for (const [name, group] of Object.entries(groups)) {
      const properties = functions[functionIds(service).get(name) ?? ""]?.Properties;

      expect(properties?.["Timeout"]).toBe(group.streaming ? 300 : 29);
    }
  });

  it("gives the sweeper two minutes", () => {
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

describe("shares of the account's concurrency", () => {
  const reservedIn = (template: Template): Record<string, unknown> =>
    Object.fromEntries(
      propertiesOf(template, "AWS::Lambda::Function")
        .map((properties) => [nameOf(properties), properties["ReservedConcurrentExecutions"]])
        .filter(([, reserved]) => reserved !== undefined),
    );

  it("bound the slow item calls in prod, and are kept for workers and the sweeper whatever calls take", () => {
    const reserved = {
      products: 400,
      offers: 200,
      sweeper: 3,
      "run-starter": 10,
      "run-step": 50,
      "run-finisher": 10,
      delivery: 100,
    };
    expect(reservedIn(service)).toEqual(reserved);
    const mappings = propertiesOf(service, "AWS::Lambda::EventSourceMapping");
    const bounds = mappings.map(({ ScalingConfig }) => (ScalingConfig as Bound).MaximumConcurrency);
    expect(bounds.toSorted((a, b) => a - b)).toEqual([10, 10, 50, 100]);
  });

  it("are smaller in an account with a smaller quota, and none where nothing may be reserved", () => {
    const half = reservedIn(synthesize("prod", { accountConcurrency: "500" }).service);
    expect(half).toMatchObject({ products: 200, sweeper: 2, "run-step": 25 });
    const { service: tiny } = synthesize("prod", { accountConcurrency: "10" });
    expect(reservedIn(tiny)).toEqual({});
    for (const { ScalingConfig } of propertiesOf(tiny, "AWS::Lambda::EventSourceMapping")) {
      expect(ScalingConfig).toEqual({ MaximumConcurrency: 2 });
    }
  });

  it("are left out where an account may be too new for any, and on request", () => {
    expect(reservedIn(synthesize("dev").service)).toEqual({});
    expect(reservedIn(synthesize("prod", { reservedConcurrency: "off" }).service)).toEqual({});
  });
});

describe("where answers are buffered", () => {
  it("no function outlives the gateway's wait for it, so that nothing is charged unseen", () => {
    const { service: buffered } = synthesize("prod", { responseMode: "buffered" });
    const groupNames = new Set<string>(Object.keys(groups));
    const timeouts = propertiesOf(buffered, "AWS::Lambda::Function")
      .filter((properties) => groupNames.has(nameOf(properties)))
      .map((properties) => properties["Timeout"]);
    expect(timeouts).toHaveLength(groupNames.size);
    expect(new Set(timeouts)).toEqual(new Set([29]));
  });
});

function nameOf(properties: Readonly<Record<string, unknown>>): string {
  const { Variables } = properties["Environment"] as { Variables: Record<string, string> };
  return Variables["POWERTOOLS_SERVICE_NAME"] ?? "";
}

const bytesOf = (file: string): number =>
  JSON.stringify(JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8"))).length;
const documentBytes =
  bytesOf("../../../functions/meta/generated/openapi.json") +
  bytesOf("../../../functions/meta/generated/pages.json");
const dashboardBytes = bytesOf("../../../functions/dashboard/generated/assets.json");

describe("bundles", () => {
  let outdir: string;
  let files: string[];
  beforeAll(() => {
    outdir = mkdtempSync(join(tmpdir(), "bundles-"));
    buildApp({ outdir, context: { stage: "dev" }, bundle: true }).synth();
    files = readdirSync(outdir)
      .filter((name) => name.startsWith("asset."))
      .map((name) => join(outdir, name, "index.mjs"));
  }, 180_000);
  afterAll(() => rmSync(outdir, { recursive: true }));

  it("load as modules under Node and export a handler, each on its own", () => {
    expect(files).toHaveLength(Object.keys(environment).length);
    for (const file of files) expect(handlerOf(file)).toContain("function");
  }, 60_000);

  it("export a streaming handler itself: the runtime knows it by a mark that a wrapper would lose", () => {
    const marked = files
      .map((file) => handlerOf(file))
      .filter((found) => found.includes("streams"));
    const streaming = Object.values(groups).filter((group) => group.streaming);
    expect(marked).toHaveLength(streaming.length);
  }, 60_000);

  it("stay under 495 KB, and under so much more with clients and documents that few need", () => {
    const more = [
      // The OpenAPI document and the pages, by an operation's ID in the document.
      ["getOpenApiDocument", documentBytes],
      ["PutObject", 85_000],
      ["CreateSchedule", 20_000],
      ["AssumeRole", 60_000],
      // The adapters of sources, and the clients that open their secrets.
      ["GetSecretValue", 190_000],
    ] as const;
    for (const file of files) {
      const code = readFileSync(file, "utf8");
      const allowed = more.filter(([action]) => code.includes(action)).map(([, bytes]) => bytes);
      expect(code.length).toBeLessThan(allowed.reduce((sum, bytes) => sum + bytes, 495_000));
    }
  });

  it("of public documents carry the client that counts calls, and stay under 305 KB without their documents", () => {
    expect(sizeOf("platforms")).toBeLessThan(305_000);
    expect(sizeOf("meta") - documentBytes).toBeLessThan(305_000);
    // No client at all.
    expect(sizeOf("dashboard") - dashboardBytes).toBeLessThan(85_000);
  });

  /** Bytes of a function's bundle, found by the asset that its template names. */
  function sizeOf(name: string): number {
    const template = readFileSync(
      join(outdir, "RetailProductData-dev-service.template.json"),
      "utf8",
    );
    const { Resources } = JSON.parse(template) as { Resources: Record<string, Resource> };
    const found = Object.values(Resources).find(
      ({ Type, Properties }) => Type === "AWS::Lambda::Function" && nameOf(Properties) === name,
    );
    if (found === undefined) throw new Error(`No function ${name}.`);
    const { S3Key } = found.Properties["Code"] as { readonly S3Key: string };
    const folder = `asset.${S3Key.replace(/\.zip$/, "")}`;
    return readFileSync(join(outdir, folder, "index.mjs")).length;
  }
});

/** Loads the bundle as Lambda would: in a process without this repository's packages in reach. */
function handlerOf(file: string): string {
  const variables = Object.values(environment)
    .flat()
    .map((name) => [name, "x"]);
  const sources = JSON.stringify(sandboxSources);
  return execFileSync(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `globalThis.awslambda = { streamifyResponse: (handler) => Object.assign(handler, { streams: true }) };
       const { handler } = await import(${JSON.stringify(`file://${file}`)});
       process.stdout.write(typeof handler + (handler.streams === true ? " that streams" : ""));`,
    ],
    {
      encoding: "utf8",
      cwd: tmpdir(),
      env: {
        ...(Object.fromEntries(variables) as Record<string, string>),
        AWS_REGION: "us-east-1",
        SOURCES: sources,
        RESPONSE_MODE: "stream",
      },
    },
  );
}
