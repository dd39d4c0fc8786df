import * as v from "valibot";
import { formatValue } from "../../../shared/base/shown-value.ts";

/**
 * A line of the audit log. Each change has two lines with the same ID: `started` before the change,
 * and the result after the change. A change without a result was interrupted.
 */
export const auditLine = v.object({
  id: v.string(),
  at: v.string(),
  /**
   * The ARN of the operator's identity before a role is assumed. In a local world, the name of the
   * operating system's user.
   */
  operator: v.string(),
  /** The operator role that made the change; `none` for the operator's own permissions. */
  role: v.string(),
  command: v.string(),
  /** The options of the command, without personal data. */
  options: v.record(v.string(), v.union([v.string(), v.boolean()])),
  result: v.picklist(["started", "done", "failed"]),
  /**
   * The exit code of a change that threw no error. Not 0 if the change is incomplete: a restore
   * waits for the operator, rows were not converted, or reconcile found differences.
   */
  exit_code: v.optional(v.number()),
  /** The error of a failed change. */
  error: v.optional(v.string()),
  /**
   * The ID of the resource that a successful change created or changed. Absent if the result of the
   * change has no ID.
   */
  created: v.optional(v.string()),
});
export type AuditLine = v.InferOutput<typeof auditLine>;

/** The log of all changes that operators make. Lines are never changed or deleted. */
export interface AuditLog {
  /** Adds a line at the end of the log. */
  append(line: AuditLine): Promise<void>;
  /**
   * Returns all lines, oldest first. Skips lines in another format and warns about each such line.
   */
  lines(warn: Warn): Promise<readonly AuditLine[]>;
}

type Warn = (line: string) => void;

/**
 * Parses the stored text of lines. Skips each line in another format, and warns about it. Lines are
 * never deleted, so one damaged line must not hide the others.
 * @param texts The stored lines, oldest first.
 * @param warn Prints a warning.
 */
export const parseLines = (texts: readonly string[], warn: Warn): AuditLine[] =>
  texts.flatMap((text, index) => {
    const { success, output } = v.safeParse(storedLine, text);
    if (success) return [output];
    warn(
      `Line ${index + 1} of the audit log is not an audit line. Skipped it: ${formatValue(text)}`,
    );
    return [];
  });

const storedLine = v.pipe(v.string(), v.parseJson(), auditLine);

/**
 * Returns one line for each change, starting with the most recently started change. Each result is
 * the last line of the change, but with the time of its first line.
 * @param lines The lines of the log, oldest first.
 */
export function lastLines(lines: readonly AuditLine[]): AuditLine[] {
  const changes = new Map<string, AuditLine>();
  for (const line of lines) {
    const first = changes.get(line.id);
    changes.set(line.id, first === undefined ? line : { ...line, at: first.at });
  }
  return [...changes.values()].toReversed();
}
