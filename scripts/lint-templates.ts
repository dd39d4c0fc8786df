/**
 * Makes the templates of every stage, with and without what context can add, and has cfn-lint read
 * them: `npm run lint:templates`. Ends with 0 when it finds nothing, with 1 when it does, and with 2
 * when cfn-lint is not installed (`pip install cfn-lint`).
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildApp } from "../lib/build-app.ts";
import { stages } from "../lib/config.ts";
import type { GivenContext } from "../lib/context.ts";

const domain = {
  domainName: "api.example.com",
  certificateArn: "arn:aws:acm:us-east-1:123456789012:certificate/0f0f0f0f-1111",
};

/** What a deployment may want: together they make every resource that the app knows. */
const wishes: readonly GivenContext[] = [
  {},
  { responseMode: "buffered", accessLogs: "off", reservedConcurrency: "off" },
  { accountConcurrency: "500" },
  { waf: "true", accessLogs: "on", alarmEmail: "operators@example.com", ...domain },
  { accessLogs: "setup", hostedZoneId: "Z0123456789ABC", ...domain },
];

/** The role of a function is named in a dependency too: the CDK writes it so. */
const ignored = "W3005";

function templatesIn(folder: string): readonly string[] {
  return stages.flatMap((stage) =>
    wishes.flatMap((wish, index) => {
      const outdir = join(folder, `${stage}-${index}`);
      const { stacks } = buildApp({
        bundle: false,
        outdir,
        context: { stage, sources: "sandbox", ...wish },
      }).synth();
      return stacks.map(({ templateFullPath }) => templateFullPath);
    }),
  );
}

function main(): number {
  const found = spawnSync("cfn-lint", ["--version"], { encoding: "utf8" });
  if (found.error !== undefined) {
    process.stderr.write("cfn-lint is not installed: the templates were not checked.\n");
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), "templates-"));
  try {
    const templates = templatesIn(folder);
    const { status } = spawnSync(
      "cfn-lint",
      ["--format", "parseable", "--ignore-checks", ignored, "--", ...templates],
      { stdio: "inherit" },
    );
    const verdict = status === 0 ? "finds nothing" : "has findings";
    process.stdout.write(`${found.stdout.trim()} ${verdict} in ${templates.length} templates.\n`);
    return status === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

process.exitCode = main();
