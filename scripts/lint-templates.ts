/**
 * Creates the templates of every stage, each with several variants of the context, and checks them
 * with cfn-lint and checkov. Exit codes: 0 without findings, 1 with findings, 2 if a linter is not
 * installed (`pip install cfn-lint checkov`). `lib/acknowledgements.ts` has the exceptions.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildApp } from "../lib/build-app.ts";
import { stages } from "../lib/config.ts";
import type { GivenContext } from "../lib/context.ts";
import { jsonOption, runCommand } from "../tools/command-line/command-line.ts";
import { cfnLint, checkov, type Linter, type Result } from "./lint-templates/linters.ts";
import { type Progress, progressOf } from "../tools/command-line/progress.ts";

const linters: readonly Linter[] = [cfnLint, checkov];
const linterNames = linters.map(({ name }) => name);
/** Exit code if a linter is not installed. */
const missing = 2;

const commandLine = {
  name: "npm run lint:templates",
  about:
    "Checks the CloudFormation templates of every stage with cfn-lint and checkov (pip install cfn-lint checkov).",
  options: {
    linter: { type: "string", value: "<name>", about: `one linter: ${linterNames.join(" or ")}` },
    json: jsonOption,
  },
  examples: ["", "--linter cfn-lint", "--json"],
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
    analytics: "on",
    analyticsExports: "s3://exports-of-the-shop/shop/",
    backups: "on",
    backupCopyVault: "arn:aws:backup:eu-west-1:123456789012:backup-vault:copies",
    ...domain,
  },
];

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

async function main(wanted: string | undefined, isJson: boolean): Promise<number> {
  const chosen = linters.filter(({ name }) => wanted === undefined || name === wanted);
  if (chosen.length === 0) {
    throw new Error(`There is no linter '${wanted}'. Choose ${linterNames.join(" or ")}.`);
  }
  const installed = chosen.filter((linter) => isInstalled(linter));
  if (installed.length === 0) return missing;
  const folder = mkdtempSync(join(tmpdir(), "templates-"));
  try {
    const progress = progressOf(stages.length * contexts.length + installed.length);
    const templates = templatesIn(folder, progress);
    const results = installed.map((linter) => {
      progress.begin(linter.name);
      return { linter: linter.name, findings: linter.lint(templates) };
    });
    if (isJson) {
      process.stdout.write(`${JSON.stringify({ templates: templates.length, results })}\n`);
    } else for (const result of results) print(result, templates.length);
    if (results.some(({ findings }) => findings.length > 0)) return 1;
    return installed.length === chosen.length ? 0 : missing;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function isInstalled({ name }: Linter): boolean {
  const versionResult = spawnSync(name, ["--version"], { encoding: "utf8" });
  if (versionResult.error === undefined) return true;
  process.stderr.write(
    `${name} is not installed, so it did not check the templates. Install it with: pip install ${name}\n`,
  );
  return false;
}

function print({ linter, findings }: Result, templates: number): void {
  for (const { rule, template, resource, message } of findings) {
    process.stdout.write(`${template}: ${resource}: ${rule}: ${message}\n`);
  }
  const verdict = findings.length === 0 ? "finds nothing" : "has findings";
  process.stdout.write(`${linter} ${verdict} in ${templates} templates.\n`);
}

await runCommand(commandLine, ({ values }) => main(values.linter, values.json === true));
