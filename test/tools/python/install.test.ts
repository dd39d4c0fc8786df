import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { installPython, reasonOf } from "../../../tools/python/install.ts";

const requirements = new URL("../../contract/requirements.txt", import.meta.url).pathname;

afterEach(() => {
  vi.unstubAllEnvs();
});

test("the installation of Python packages fails with the reason and leaves no partial environment if Python is missing", async () => {
  const cache = mkdtempSync(join(tmpdir(), "python-"));
  vi.stubEnv("PATH", cache);
  expect(await installPython({ cache, name: "contract", requirements })).toEqual({
    outcome: "absent",
    why: "spawn python3 ENOENT",
  });
  expect(existsSync(cache) && readdirSync(cache)).toEqual([]);
  rmSync(cache, { recursive: true });
});

test("the installation of Python packages reports the last output line of a failed command as the reason", async () => {
  const script = "console.error('first'); console.error(['no', 'package'].join()); process.exit(1)";
  const failure: unknown = await promisify(execFile)(process.execPath, ["-e", script]).catch(
    (error: unknown) => error,
  );
  expect(reasonOf(failure)).toMatch(/^Command failed: .*: no,package$/);
});
