import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Creates a folder that is deleted at the end of the test; returns its path. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "local-world-test-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
