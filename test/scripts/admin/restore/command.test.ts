import { describe, expect, it } from "vitest";
import { restoreCommands } from "../../../../scripts/admin/restore/command.ts";

const { restore } = restoreCommands;
const changes = restore !== undefined && "changes" in restore ? restore.changes : undefined;
const at = "2026-11-21T10:15:00Z";

describe("the command restore", () => {
  it("counts as a change, which the audit log records, except with --dry-run", () => {
    expect(changes?.({ at })).toBe(`Restore all tables to ${at}`);
    expect(changes?.({ at, discard: true })).toBe(`Remove the copies of the restore to ${at}`);
    expect(changes?.({ at, "dry-run": true })).toBeUndefined();
    expect(changes?.({ at, discard: true, "dry-run": true })).toBeUndefined();
  });

  it("refuses an invalid time before any request", () => {
    expect(() => changes?.({ at: "yesterday" })).toThrow("--at must be a second in UTC");
  });
});
