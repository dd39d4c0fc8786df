/** The result of the check of one rule of the contract. */
export interface Finding {
  /** The name of the rule. It never changes, so that users can search for it. */
  readonly rule: string;
  /** A violated `must` fails the check, and a violated `should` is a warning. */
  readonly level: "must" | "should";
  readonly outcome: "pass" | "fail" | "skip";
  /** The scraper that was checked; undefined for a rule about the whole server. */
  readonly scraper: string | undefined;
  readonly expected: string;
  readonly seen: string;
}

/** The check of one rule, before it is assigned to a scraper. */
export type Verdict = Pick<Finding, "rule" | "level" | "expected"> & {
  /** A description of the violation; null if the rule holds. */
  readonly trouble: string | null;
};

/**
 * Returns the finding for a checked rule. The finding is `fail` if `trouble` describes a violation,
 * and `pass` if it is null.
 * @param scraper The checked scraper. Undefined for a rule about the whole server.
 */
export const findingOf = ({ trouble, ...rule }: Verdict, scraper?: string): Finding => ({
  ...rule,
  scraper,
  outcome: trouble === null ? "pass" : "fail",
  seen: trouble ?? "as expected",
});

/**
 * Returns the finding for a rule that was not checked.
 * @param reason Why the rule was not checked.
 * @param scraper The scraper that the rule is about. Undefined for a rule about the whole server.
 */
export const skippedFinding = (rule: string, reason: string, scraper?: string): Finding => ({
  rule,
  level: "must",
  outcome: "skip",
  scraper,
  expected: "",
  seen: reason,
});

/** Formats one line for each finding, followed by a summary. */
export function report(findings: readonly Finding[]): string {
  const lines = findings.map(lineOf);
  const count = (word: string): number => findings.filter((one) => wordOf(one) === word).length;
  const total = `${count("FAIL")} failed, ${count("WARN")} warnings, ${count("PASS")} passed, ${count("SKIP")} skipped`;
  return [...lines, total, ""].join("\n");
}

/** Returns true if no mandatory rule failed. */
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
