import { describe, expect, it } from "vitest";
import { restoreCommands } from "../../../../scripts/admin/restore/command.ts";

const { restore } = restoreCommands;
const changes = restore !== undefined && "changes" in restore ? restore.changes : undefined;
const at = "2026-11-21T10:15:00Z";

describe("the admin command restore", () => {
  it("is recorded in the audit log as a change, except with --dry-run", () => {
    expect(changes?.({ at })).toBe(`Restore all tables to ${at}`);
    expect(changes?.({ at, discard: true })).toBe(`Remove the copies of the restore to ${at}`);
    expect(changes?.({ at, "dry-run": true })).toBeUndefined();
    expect(changes?.({ at, discard: true, "dry-run": true })).toBeUndefined();
  });

  it.each([
    "yesterday",
    "2026-11-21",
    "2026-11-21T10:15:00+01:00",
    "2026-02-30T10:15:00Z",
    "2026-11-21T24:00:00Z",
    "2026-13-01T10:15:00Z",
  ])("refuses the invalid time '%s' before it sends any request", (invalid) => {
    expect(() => changes?.({ at: invalid })).toThrow("--at must be a second in UTC");
  });
});
