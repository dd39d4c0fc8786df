import { describe, expect, it } from "vitest";
import {
  type AuditLine,
  type AuditLog,
  lastLines,
} from "../../../../scripts/admin/audit/audit-log.ts";
import { withAuditLines } from "../../../../scripts/admin/audit/audited.ts";

function world(append?: AuditLog["append"]) {
  const lines: AuditLine[] = [];
  const warnings: string[] = [];
  const stored = async (line: AuditLine): Promise<void> => void lines.push(line);
  const options = {
    log: { append: append ?? stored, lines: async () => lines },
    operator: "arn:aws:iam::1:user/ops",
    role: "act",
    command: "grant",
    values: { account: "acct_1", credits: "9", email: "a@acme.example", stage: "prod", yes: true },
    clock: { now: () => new Date("2026-11-21T12:00:00Z"), sleep: async () => {} },
    warn: (line: string) => void warnings.push(line),
    exitCode: () => 0,
  };
  return { lines, warnings, options };
}

describe("audited, which records a change in the audit log,", () => {
  it("stores the operator, the change, the options of the change without personal data, and the result", async () => {
    const { lines, options } = world();
    await withAuditLines(options, async () => ({ id: "key_1", key: "svc_live_secret" }));

    const line = {
      at: "2026-11-21T12:00:00.000Z",
      operator: "arn:aws:iam::1:user/ops",
      role: "act",
      command: "grant",
      options: { account: "acct_1", credits: "9" },
    };
    expect(lines).toMatchObject([
      { ...line, result: "started" },
      { ...line, result: "done", exit_code: 0, created: "key_1" },
    ]);
    expect(lines[0]?.options).toEqual(line.options);
    expect(new Set(lines.map(({ id }) => id)).size).toBe(1);
    expect(JSON.stringify(lines)).not.toContain("secret");
  });

  it("stores the exit code of a change that was only partly completed", async () => {
    const { lines, options } = world();
    let code = 0;
    await withAuditLines({ ...options, exitCode: () => code }, async () => {
      code = 1;
    });

    expect(lines[0]).not.toHaveProperty("exit_code");
    expect(lines.at(-1)).toMatchObject({ result: "done", exit_code: 1 });
  });

  it("stores the error of a failed change, and throws this error to the caller", async () => {
    const { lines, options } = world();
    const failed = withAuditLines(options, async () => {
      throw new Error("The account does not exist");
    });

    await expect(failed).rejects.toThrow("The account does not exist");
    expect(lines.at(-1)).toMatchObject({
      result: "failed",
      error: "Error: The account does not exist",
    });
  });

  it("does not make the change if the audit line before the change cannot be stored", async () => {
    const { options } = world(async () => {
      throw new Error("no permission");
    });
    let changes = 0;
    const refused = withAuditLines(options, async () => {
      changes += 1;
    });

    await expect(refused).rejects.toThrow("no permission");
    expect(changes).toBe(0);
  });

  it("warns if the audit line after the change cannot be stored, and still returns the result of the change", async () => {
    let stored = 0;
    const { options, warnings } = world(async () => {
      stored += 1;
      if (stored === 2) throw new Error("connection lost");
    });

    expect(await withAuditLines(options, async () => "changed")).toBe("changed");
    expect(warnings).toEqual([expect.stringContaining("connection lost")]);
  });
});

describe("lastLines, which reads the audit log,", () => {
  it("returns one line for each change with the time at which the change started, newest first", () => {
    const line = { operator: "ops", role: "act", command: "grant", options: {} };
    const first = { ...line, id: "1", at: "t1", result: "started" as const };
    const second = { ...line, id: "2", at: "t2", result: "started" as const };
    const end = { ...first, at: "t3", result: "done" as const };

    expect(lastLines([first, second, end])).toEqual([second, { ...end, at: "t1" }]);
  });
});
