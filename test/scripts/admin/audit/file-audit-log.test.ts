import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AuditLine } from "../../../../scripts/admin/audit/audit-log.ts";
import { fileAuditLog } from "../../../../scripts/admin/audit/file-audit-log.ts";
import { auditLogContract } from "./audit-log-contract.ts";

const line: AuditLine = {
  id: "1",
  at: "2026-11-21T12:00:00.000Z",
  operator: "ops",
  role: "none",
  command: "grant",
  options: {},
  result: "started",
};
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "audit-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("the audit log in a file", () => {
  auditLogContract(async () => fileAuditLog(join(folder, "audit.jsonl")));

  it("skips lines that are not audit lines, and prints a warning for each", async () => {
    const file = join(folder, "audit.jsonl");
    const log = fileAuditLog(file);
    await log.append(line);
    appendFileSync(file, '{"id":\n{"id":"2"}\n');
    await log.append({ ...line, result: "done" });
    const warnings: string[] = [];

    expect(await log.lines((warning) => warnings.push(warning))).toEqual([
      line,
      { ...line, result: "done" },
    ]);
    expect(warnings).toEqual([
      expect.stringContaining("Line 2 of the audit log"),
      expect.stringContaining("Line 3 of the audit log"),
    ]);
  });
});
