import { createConfig, lintFromString } from "@redocly/openapi-core";
import { type RulesetDefinition, Spectral } from "@stoplight/spectral-core";
import { oas } from "@stoplight/spectral-rulesets";

/** Names of spectral's severities, which are numbers from 0. */
const severities = ["error", "warn", "information", "hint"];

export interface Finding {
  readonly severity: string;
  readonly rule: string;
  readonly where: string;
  readonly message: string;
}

/** Returns the findings of redocly's rule set `recommended` in an OpenAPI document. */
export async function redoclyFindings(document: object): Promise<Finding[]> {
  const config = await createConfig({
    extends: ["recommended"],
    // Off, because this rule closes objects with a keyword that ignores `if` and `not`.
    // `examples.slow.test.ts` checks examples against closed objects.
    rules: {
      "no-invalid-media-type-examples": { severity: "warn", allowAdditionalProperties: true },
    },
  });
  const problems = await lintFromString({ source: JSON.stringify(document, null, 1), config });
  return problems.map(({ severity, ruleId, location, message }) => ({
    severity,
    rule: ruleId,
    where: location[0]?.pointer ?? "",
    message,
  }));
}

/** Returns the findings of spectral's rule set `spectral:oas` in an OpenAPI document. */
export async function spectralFindings(document: object): Promise<Finding[]> {
  const spectral = new Spectral();
  const ruleset: RulesetDefinition = { extends: [[oas as RulesetDefinition, "recommended"]] };
  spectral.setRuleset(ruleset);
  const results = await spectral.run(
    JSON.parse(JSON.stringify(document)) as Record<string, unknown>,
  );
  return results.map(({ severity, code, path, message }) => ({
    severity: severities[severity] ?? "hint",
    rule: String(code),
    where: path.join("/"),
    message,
  }));
}
