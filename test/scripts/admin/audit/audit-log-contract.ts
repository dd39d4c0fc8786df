import { expect, it } from "vitest";
import type { AuditLine, AuditLog } from "../../../../scripts/admin/audit/audit-log.ts";

const unexpected = (warning: string): never => {
  throw new Error(warning);
};

/** Registers the tests that every audit log must pass. `open` returns an empty log. */
export function auditLogContract(open: () => Promise<AuditLog>): void {
  it("returns no lines while it is empty, and later all appended lines, oldest first", async () => {
    const log = await open();
    expect(await log.lines(unexpected)).toEqual([]);

    const line: AuditLine = {
      id: "1",
      at: new Date().toISOString(),
      operator: "arn:aws:iam::1:user/ops",
      role: "act",
      command: "grant",
      options: { account: "acct_1", disabled: true },
      result: "started",
    };
    const end: AuditLine = { ...line, result: "failed", error: "Error: refused", created: "key_1" };
    await log.append(line);
    await log.append(end);
    expect(await log.lines(unexpected)).toEqual([line, end]);
  });
}
