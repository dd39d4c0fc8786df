/** The result of the conformance check for one rule of the contract. */
export interface Finding {
  /** Stable, so that users can search for it. */
  readonly rule: string;
  /** A failed `must` fails the check. A failed `should` is a warning. */
  readonly level: "must" | "should";
  readonly outcome: "pass" | "fail" | "skip";
  /** The scraper of the check. */
  readonly scraper: string | undefined;
  readonly expected: string;
  readonly seen: string;
}

export type Verdict = Pick<Finding, "rule" | "level" | "expected"> & {
  /** The observed violation; null if the rule holds. */
  readonly trouble: string | null;
};

export const judged = ({ trouble, ...rule }: Verdict, scraper?: string): Finding => ({
  ...rule,
  scraper,
  outcome: trouble === null ? "pass" : "fail",
  seen: trouble ?? "as expected",
});

export const skipped = (rule: string, reason: string, scraper?: string): Finding => ({
  rule,
  level: "must",
  outcome: "skip",
  scraper,
  expected: "",
  seen: reason,
});

/** Returns one line for each finding, and a summary. */
export function report(findings: readonly Finding[]): string {
  const lines = findings.map(lineOf);
  const count = (word: string): number => findings.filter((one) => wordOf(one) === word).length;
  const total = `${count("FAIL")} failed, ${count("WARN")} warnings, ${count("PASS")} passed, ${count("SKIP")} skipped`;
  return [...lines, total, ""].join("\n");
}

/** Returns true if every mandatory rule holds. */
export const conforms = (findings: readonly Finding[]): boolean =>
  findings.every((one) => wordOf(one) !== "FAIL");

function wordOf({ outcome, level }: Finding): "PASS" | "FAIL" | "WARN" | "SKIP" {
  if (outcome === "pass") return "PASS";
  if (outcome === "skip") return "SKIP";
  return level === "must" ? "FAIL" : "WARN";
}

function lineOf(finding: Finding): string {
  const { rule, scraper, expected, seen, outcome } = finding;
  const where = scraper === undefined ? rule : `${scraper} ${rule}`;
  const head = `${wordOf(finding)} ${where}`;
  if (outcome === "skip") return `${head}: ${seen}`;
  return outcome === "pass"
    ? `${head}: ${expected}`
    : `${head}: expected ${expected}; seen: ${seen}`;
}
