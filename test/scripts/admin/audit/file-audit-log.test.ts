import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe } from "vitest";
import { fileAuditLog } from "../../../../scripts/admin/audit/file-audit-log.ts";
import { auditLogContract } from "./audit-log-contract.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "audit-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("the audit log in a file", () => {
  auditLogContract(async () => fileAuditLog(join(folder, "audit.jsonl")));
});
