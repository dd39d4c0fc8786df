/**
 * Creates the templates of every stage, with and without optional context, and checks them with
 * cfn-lint. Exit codes: 0 without findings, 1 with findings, 2 if cfn-lint is not installed
 * (`pip install cfn-lint`).
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildApp } from "../lib/build-app.ts";
import { stages } from "../lib/config.ts";
import type { GivenContext } from "../lib/context.ts";
import { jsonOption, runCommand } from "../tools/command-line/command-line.ts";
import { type Progress, progressOf } from "../tools/command-line/progress.ts";

const commandLine = {
  name: "npm run lint:templates",
  about: "Checks the CloudFormation templates of every stage with cfn-lint (pip install cfn-lint).",
  options: { json: jsonOption },
  examples: ["", "--json"],
} as const;

const domain = {
  domainName: "api.example.com",
  certificateArn: "arn:aws:acm:us-east-1:123456789012:certificate/0f0f0f0f-1111",
};

/** Contexts that together create every kind of resource of the app. */
const contexts: readonly GivenContext[] = [
  {},
  { responseMode: "buffered", accessLogs: "off", reservedConcurrency: "off" },
  { accountConcurrency: "500", deployment: "linear-10-percent-every-1-minute" },
  { waf: "true", accessLogs: "on", alarmEmail: "operators@example.com", ...domain },
  {
    accessLogs: "setup",
    hostedZoneId: "Z0123456789ABC",
    waf: "false",
    wafReason: "Another firewall protects the API.",
    monthlyBudget: "500",
    backups: "on",
    backupCopyVault: "arn:aws:backup:eu-west-1:123456789012:backup-vault:copies",
    ...domain,
  },
];

/** W3005: the CDK adds a dependency on a role to a function that already references the role. */
const ignored = "W3005";
/** The largest accepted output of cfn-lint, far above that of a finding in every template. */
const outputBytesMax = 100_000_000;

function templatesIn(folder: string, progress: Progress): readonly string[] {
  return stages.flatMap((stage) =>
    contexts.flatMap((context, index) => {
      progress.begin(`templates of ${stage}, variant ${index + 1}`);
      const outdir = join(folder, `${stage}-${index}`);
      const { stacks } = buildApp({
        bundle: false,
        outdir,
        context: { stage, sources: "sandbox", ...context },
      }).synth();
      return stacks.map(({ templateFullPath }) => templateFullPath);
    }),
  );
}

async function main(isJson: boolean): Promise<number> {
  const found = spawnSync("cfn-lint", ["--version"], { encoding: "utf8" });
  if (found.error !== undefined) {
    process.stderr.write(
      "cfn-lint is not installed, so the templates were not checked. Install it with: pip install cfn-lint\n",
    );
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), "templates-"));
  try {
    const progress = progressOf(stages.length * contexts.length + 1);
    const templates = templatesIn(folder, progress);
    progress.begin("cfn-lint");
    const { status, stdout } = spawnSync(
      "cfn-lint",
      ["--format", isJson ? "json" : "parseable", "--ignore-checks", ignored, "--", ...templates],
      { stdio: ["ignore", "pipe", "inherit"], encoding: "utf8", maxBuffer: outputBytesMax },
    );
    const linter = found.stdout.trim();
    if (isJson) {
      const findings: unknown = JSON.parse(stdout);
      process.stdout.write(
        `${JSON.stringify({ linter, templates: templates.length, findings })}\n`,
      );
    } else {
      const verdict = status === 0 ? "finds nothing" : "has findings";
      process.stdout.write(`${stdout}${linter} ${verdict} in ${templates.length} templates.\n`);
    }
    return status === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

await runCommand(commandLine, ({ values }) => main(values.json === true));
