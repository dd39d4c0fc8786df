/** What the conformance run says of one rule of the contract. */
export interface Finding {
  /** Stable, so that it can be looked for. */
  readonly rule: string;
  /** A rule that must hold fails the run; of one that should, the run warns. */
  readonly level: "must" | "should";
  readonly outcome: "pass" | "fail" | "skip";
  /** The scraper it was tried with. */
  readonly scraper: string | undefined;
  readonly expected: string;
  readonly seen: string;
}

export type Verdict = Pick<Finding, "rule" | "level" | "expected"> & {
  /** What was seen when the rule does not hold; null when it does. */
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

/** One line for each finding, and one for the whole. */
export function report(findings: readonly Finding[]): string {
  const lines = findings.map(lineOf);
  const count = (word: string): number => findings.filter((one) => wordOf(one) === word).length;
  const total = `${count("FAIL")} failed, ${count("WARN")} warnings, ${count("PASS")} passed, ${count("SKIP")} skipped`;
  return [...lines, total, ""].join("\n");
}

/** True when every rule holds that must. */
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
