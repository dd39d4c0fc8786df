import type { Template } from "aws-cdk-lib/assertions";
import type { App } from "aws-cdk-lib";
import { afterEach, describe, expect, it } from "vitest";
import { buildApp, stackName } from "../../lib/build-app.ts";
import { resourcesOf, synthesize, variablesOf } from "./synthesize.ts";

const contextVariable = "CDK_CONTEXT_JSON";

afterEach(() => {
  delete process.env[contextVariable];
});

/** The template as text, without what changes with every line of a function. */
function normalised(template: Template): string {
  const text = JSON.stringify(template.toJSON(), null, 2);
  return `${text.replaceAll(/[0-9a-f]{64}\.zip/g, "<asset>.zip")}\n`;
}

function prodStackOf(app: App): unknown {
  return app.node.tryFindChild(stackName("prod", "data"));
}

function modeOf(template: Template): unknown {
  const products = Object.values(resourcesOf(template, "AWS::Lambda::Function")).find(
    ({ Properties }) => variablesOf(Properties)["POWERTOOLS_SERVICE_NAME"] === "products",
  );
  if (products === undefined) throw new Error("No products function.");
  return variablesOf(products.Properties)["RESPONSE_MODE"];
}

describe.each(["dev", "prod"] as const)("%s", (stage) => {
  it.each(["data", "service"] as const)("makes the %s template that was reviewed", async (part) => {
    const template = synthesize(stage)[part];

    await expect(normalised(template)).toMatchFileSnapshot(
      `__snapshots__/${part}-${stage}.template.json`,
    );
  });
});

describe("context", () => {
  it("chooses the stage, dev unless it says otherwise", () => {
    expect(prodStackOf(buildApp({ bundle: false }))).toBeUndefined();
    process.env[contextVariable] = JSON.stringify({ stage: "prod" });
    expect(prodStackOf(buildApp({ bundle: false }))).toBeDefined();
  });

  it("refuses a stage that does not exist and says which do", () => {
    process.env[contextVariable] = JSON.stringify({ stage: "test" });

    expect(() => buildApp({ bundle: false })).toThrow("Context 'stage' must be one of: dev, prod.");
  });
});

describe("response mode", () => {
  it("tells the products function how the gateway passes its answers on", () => {
    expect(modeOf(synthesize("dev").service)).toBe("stream");
    expect(modeOf(synthesize("dev", "buffered").service)).toBe("buffered");
  });
});
