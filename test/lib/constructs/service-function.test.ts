import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { environment } from "../../../functions/environment.ts";
import { groups } from "../../../functions/routes.ts";
import { buildApp } from "../../../lib/build-app.ts";
import { functionIds, propertiesOf, resourcesOf, synthesize } from "../synthesize.ts";

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
    expect(Object.keys(resourcesOf(service, "AWS::Logs::LogGroup"))).toHaveLength(logGroups.length);
    for (const properties of propertiesOf(service, "AWS::Logs::LogGroup")) {
      expect(properties).toMatchObject({ RetentionInDays: 30 });
    }
  });

  it("may feed itself by a queue only where the flow does so", () => {
    const feedingThemselves = [...functionIds(service)]
      .filter(([, id]) => functions[id]?.Properties["RecursiveLoop"] === "Allow")
      .map(([name]) => name)
      .sort();

    expect(feedingThemselves).toEqual(["delivery", "run-finisher", "run-step"]);
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

describe("bundles", () => {
  it("load as modules under Node and export a handler, each on its own", () => {
    const outdir = mkdtempSync(join(tmpdir(), "bundles-"));
    buildApp({ outdir, stage: "dev", bundle: true }).synth();
    const bundles = readdirSync(outdir).filter((name) => name.startsWith("asset."));

    expect(bundles.length).toBeGreaterThan(0);
    for (const bundle of bundles) {
      expect(typeOfHandler(join(outdir, bundle, "index.mjs"))).toBe("function");
    }
    rmSync(outdir, { recursive: true });
  }, 60_000);
});

/** Loads the bundle as Lambda would: in a process without this repository's packages in reach. */
function typeOfHandler(file: string): string {
  const variables = Object.values(environment)
    .flat()
    .map((name) => [name, name === "SOURCES" ? "{}" : "x"]);
  return execFileSync(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `process.stdout.write(typeof (await import(${JSON.stringify(`file://${file}`)})).handler);`,
    ],
    {
      encoding: "utf8",
      cwd: tmpdir(),
      env: {
        ...(Object.fromEntries(variables) as Record<string, string>),
        AWS_REGION: "us-east-1",
      },
    },
  );
}
