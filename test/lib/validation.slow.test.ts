import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type App,
  CfnResource,
  CloudFormationValidatePlugin,
  type IPolicyValidationPlugin,
  type Stack,
  Validations,
} from "aws-cdk-lib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildApp, stackName } from "../../lib/build-app.ts";
import type { GivenContext } from "../../lib/context.ts";
import { deployments } from "./deployments.ts";

/** Created once, because loading its rules takes seconds. */
const plugin = new CloudFormationValidatePlugin() as IPolicyValidationPlugin;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "validation-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function validated(context: GivenContext): App {
  const outdir = mkdtempSync(join(folder, "synth-"));
  const app = buildApp({ bundle: false, outdir, context: { sources: "sandbox", ...context } });
  Validations.of(app).addPlugins(plugin);
  return app;
}

describe("the CloudFormation linter", () => {
  it.each(deployments)("accepts the templates of the deployment %j", (context) => {
    expect(() => validated(context).synth()).not.toThrow();
  });

  it("refuses a resource with a property that its type does not have", () => {
    const app = validated({ stage: "dev" });
    const stack = app.node.findChild(stackName("dev", "data")) as Stack;
    const wrong = new CfnResource(stack, "Wrong", { type: "AWS::SQS::Queue" });
    wrong.addPropertyOverride("Colour", "red");

    expect(() => app.synth()).toThrow(/[Vv]alidation/);
  });
});
