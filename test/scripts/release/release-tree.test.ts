import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkOutRelease } from "../../../scripts/release/release-tree.ts";

let project: string;

function git(...words: string[]): void {
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  execFileSync("git", [...identity, ...words], { cwd: project, stdio: "pipe" });
}

function commit(content: string): void {
  writeFileSync(join(project, "content.txt"), content);
  git("add", ".");
  git("commit", "--quiet", "--message", content);
}

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "project-"));
  git("init", "--quiet");
  writeFileSync(join(project, "package-lock.json"), "{}");
  writeFileSync(join(project, ".gitignore"), "node_modules\n");
  mkdirSync(join(project, "node_modules"));
  writeFileSync(join(project, "node_modules", "package.txt"), "installed");
});
afterEach(() => rmSync(project, { recursive: true }));

describe("checkOutRelease, which prepares a rollback,", () => {
  it("checks out a tag into a separate folder, and shares the installed packages if both lock files are equal", async () => {
    commit("old");
    git("tag", "v1");
    commit("new");
    const tree = await checkOutRelease("v1", project);

    expect(readFileSync(join(tree.folder, "content.txt"), "utf8")).toBe("old");
    expect(readFileSync(join(tree.folder, "node_modules/package.txt"), "utf8")).toBe("installed");
    expect(readFileSync(join(project, "content.txt"), "utf8")).toBe("new");
    await tree.remove();
    expect(existsSync(tree.folder)).toBe(false);
    expect(readFileSync(join(project, "node_modules/package.txt"), "utf8")).toBe("installed");
  });

  it("fails for an unknown tag, and names the newest tags", async () => {
    commit("old");
    git("tag", "v1");
    await expect(checkOutRelease("v2", project)).rejects.toThrow(
      'There is no git tag "v2". Newest tags: v1. Fetch the tags with: git fetch --tags',
    );
  });

  it("fails for an unknown tag in a clone without tags, and states that the clone has no tags", async () => {
    commit("old");
    await expect(checkOutRelease("--all", project)).rejects.toThrow(
      'There is no git tag "--all". This clone has no tags.',
    );
  });
});
