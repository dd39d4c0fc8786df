import type { Template } from "aws-cdk-lib/assertions";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildApp, stackName } from "../../lib/build-app.ts";
import { synthesize } from "./synthesize.ts";

/**
 * Returns the template as text, without the hashes that change with every line of a function, and
 * without the release.
 */
function normalized(template: Template): string {
  const text = JSON.stringify(template.toJSON(), null, 2)
    .replaceAll(/[0-9a-f]{64}\.zip/g, "<asset>.zip")
    .replaceAll(/(CurrentVersion[0-9A-F]{8})[0-9a-f]{32}/g, "$1<hash>")
    .replaceAll(/ Release \d[^"]*\./g, " Release <release>.");
  return `${text}\n`;
}

describe.each(["dev", "prod"] as const)("the synthesis of the stage %s", (stage) => {
  it.each(["data", "service"] as const)(
    "produces a template of the stack '%s' that equals the stored snapshot",
    async (part) => {
      const template = synthesize(stage)[part];

      await expect(normalized(template)).toMatchFileSnapshot(
        `__snapshots__/${part}-${stage}.template.json`,
      );
    },
  );
});

describe("the synthesized stacks", () => {
  it.each(["dev", "prod"] as const)("of the stage %s have a description and tags", (stage) => {
    const outdir = mkdtempSync(join(tmpdir(), "synth-"));
    const assembly = buildApp({
      bundle: false,
      outdir,
      context: { stage, sources: "sandbox" },
    }).synth();
    for (const part of ["data", "service"] as const) {
      const stack = assembly.getStackByName(stackName(stage, part));
      const { Description } = stack.template as { Description: string };

      expect(stack.tags).toEqual({ service: "retail-product-data", stage });
      expect(Description).toContain(stage);
      // The app does not set the account and the region. The CDK uses the account and region of the
      // deployer.
      expect(stack.environment.name).toBe("aws://unknown-account/unknown-region");
    }
    rmSync(outdir, { recursive: true });
  });
});
