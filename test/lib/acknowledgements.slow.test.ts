import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Validations } from "aws-cdk-lib";
import type { App } from "aws-cdk-lib";
import { Bucket } from "aws-cdk-lib/aws-s3";
import { AwsSolutionsChecks } from "cdk-nag";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { buildApp, stackName } from "../../lib/build-app.ts";
import type { GivenContext } from "../../lib/context.ts";
import { deployments } from "./deployments.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "checks-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const synthesized = (context: GivenContext): App => {
  const app = buildApp({
    bundle: false,
    outdir: mkdtempSync(join(folder, "synth-")),
    context: { sources: "sandbox", ...context },
  });
  // Resolves references between stacks, which are part of the findings' names.
  app.synth();
  return app;
};

interface Finding {
  readonly rule: string;
  /** Path of the resource, or of the construct on which the finding is acknowledged. */
  readonly path: string;
}

/** Returns the findings of cdk-nag except the acknowledged findings. */
function findingsIn(app: App): readonly Finding[] {
  const { violations } = new AwsSolutionsChecks(app).validateScope(app);
  return violations.flatMap(({ ruleName, violatingResources }) =>
    violatingResources.map(({ constructPath = "" }) => ({ rule: ruleName, path: constructPath })),
  );
}

interface Acknowledged extends Finding {
  readonly reason: string;
}

function acknowledgedIn(app: App): readonly Acknowledged[] {
  return app.node.findAll().flatMap(({ node }) =>
    node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries(data as Record<string, string>))
      .map(([id, reason]) => ({ rule: id.replace(/^annotation::/i, ""), path: node.path, reason })),
  );
}

function withoutAcknowledgements(context: GivenContext): App {
  const silenced = vi.spyOn(Validations.prototype, "acknowledge").mockReturnValue();
  try {
    return synthesized(context);
  } finally {
    silenced.mockRestore();
  }
}

describe.each(deployments)("cdk-nag on the deployment %j", (context) => {
  const app = { explained: {} as App, bare: {} as App };
  beforeAll(() => {
    app.explained = synthesized(context);
    app.bare = withoutAcknowledgements(context);
  });

  it("reports no unacknowledged finding", () => {
    expect(findingsIn(app.explained)).toEqual([]);
  });

  it("reports a finding for each acknowledgement if all acknowledgements are removed", () => {
    const found = findingsIn(app.bare);
    const acknowledged = acknowledgedIn(app.explained).filter(({ rule }) =>
      rule.startsWith("AwsSolutions-"),
    );
    const stale = acknowledged.filter(
      (one) => !found.some(({ rule, path }) => rule === one.rule && isWithin(path, one.path)),
    );
    expect(acknowledged.length).toBeGreaterThan(8);
    expect(stale).toEqual([]);
  });

  it("gets a reason of at least one sentence in each acknowledgement", () => {
    const reasons = acknowledgedIn(app.explained).map(({ reason }) => reason);
    expect(reasons.filter((reason) => !/^[A-Z].{30,}\.$/.test(reason))).toEqual([]);
  });
});

const isWithin = (path: string, scope: string): boolean =>
  path === scope || path.startsWith(`${scope}/`);

describe("cdk-nag", () => {
  it("reports a bucket without protection", () => {
    const app = buildApp({ bundle: false, context: { stage: "dev" } });
    const stack = app.node.findChild(stackName("dev", "service"));
    const { path: careless } = new Bucket(stack, "Careless").node;
    const rules = findingsIn(app).filter(({ path }) => isWithin(path, careless));
    expect(rules.map(({ rule }) => rule)).toEqual(
      expect.arrayContaining(["AwsSolutions-S1", "AwsSolutions-S10"]),
    );
  });
});
