import { spawnSync } from "node:child_process";
import { basename } from "node:path";
import { array, type GenericSchema, number, object, optional, parse, string } from "valibot";
import { cfnLintReasons, checkovReasons } from "../../lib/acknowledgements.ts";

/** A finding of a linter that `lib/acknowledgements.ts` does not explain. */
export interface Finding {
  readonly rule: string;
  readonly template: string;
  readonly resource: string;
  readonly message: string;
}

/** The findings of a linter in all templates. */
export interface Result {
  readonly linter: string;
  readonly findings: readonly Finding[];
}

/** A linter of CloudFormation templates. */
export interface Linter {
  /** The name of the program, and of its Python package. */
  readonly name: string;
  /** Returns the findings in the templates with these paths. */
  lint(templates: readonly string[]): readonly Finding[];
}

/**
 * The largest accepted output of a linter, far larger than the output for a finding in every
 * template.
 */
const outputBytesMax = 500_000_000;

const cfnLintFindings = array(
  object({
    Rule: object({ Id: string() }),
    Filename: string(),
    Location: object({ Start: object({ LineNumber: optional(number()) }) }),
    Message: string(),
  }),
);

export const cfnLint: Linter = {
  name: "cfn-lint",
  lint(templates) {
    const ignored = Object.keys(cfnLintReasons).join(",");
    const options = ["--format", "json", "--ignore-checks", ignored];
    const findings = outputOf("cfn-lint", [...options, "--", ...templates], cfnLintFindings);
    return findings.map(({ Rule, Filename, Location, Message }) => ({
      rule: Rule.Id,
      template: basename(Filename),
      resource: `line ${Location.Start.LineNumber}`,
      message: Message,
    }));
  },
};

const checkovReport = object({
  results: optional(
    object({
      failed_checks: array(
        object({
          check_id: string(),
          check_name: string(),
          file_path: string(),
          resource: string(),
        }),
      ),
    }),
  ),
});

export const checkov: Linter = {
  name: "checkov",
  lint(templates) {
    // Without `--skip-download`, checkov calls its vendor.
    const options = ["--framework", "cloudformation", "--quiet", "--compact", "--skip-download"];
    const report = outputOf(
      "checkov",
      [...options, "--output", "json", "--file", ...templates],
      checkovReport,
    );
    const failed = report.results?.failed_checks ?? [];
    const rules = new Set(failed.map(({ check_id: rule }) => rule));
    const unused = Object.keys(checkovReasons).filter((rule) => !rules.has(rule));
    return [
      ...failed
        .filter(({ check_id: rule }) => !(rule in checkovReasons))
        .map((one) => ({
          rule: one.check_id,
          template: basename(one.file_path),
          resource: one.resource,
          message: one.check_name,
        })),
      ...unused.map((rule) => ({
        rule,
        template: "lib/acknowledgements.ts",
        resource: "checkovReasons",
        message: "No template deviates from this rule. Remove the exception.",
      })),
    ];
  },
};

/**
 * Runs a linter and parses its JSON output.
 * @throws Error if the output is not JSON, or does not match the schema
 */
function outputOf<Output>(
  program: string,
  args: readonly string[],
  schema: GenericSchema<unknown, Output>,
): Output {
  const { stdout } = spawnSync(program, args, {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    maxBuffer: outputBytesMax,
  });
  return parse(schema, JSON.parse(stdout));
}
