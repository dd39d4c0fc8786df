import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { reasonOf } from "../../tools/python/install.ts";

const run = promisify(execFile);

/** A checkout of a release in a temporary folder, with the packages of that release. */
export interface ReleaseTree {
  readonly folder: string;
  /** Deletes the folder and the git worktree. */
  readonly remove: () => Promise<void>;
}

/**
 * Checks out a release as a git worktree and installs its packages. Uses the packages of this
 * project if the release has the same lock file.
 * @param name a tag or a commit
 * @throws Error if the project has no such tag or commit, or if npm cannot install the packages
 */
export async function checkOutRelease(name: string, project: string): Promise<ReleaseTree> {
  const commit = await commitOf(name, project);
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "release-"));
  await git(project, "worktree", "add", "--detach", folder, commit);
  const tree: ReleaseTree = {
    folder,
    remove: async () => {
      await git(project, "worktree", "remove", "--force", folder);
    },
  };
  try {
    await installPackages(folder, project);
  } catch (error) {
    await tree.remove();
    throw new Error(
      `npm could not install the packages of ${name}: ${reasonOf(error)}. Check the network, then repeat the command.`,
      {
        cause: error,
      },
    );
  }
  return tree;
}

async function commitOf(name: string, project: string): Promise<string> {
  try {
    const foundCommit = await git(
      project,
      "rev-parse",
      "--verify",
      "--quiet",
      "--end-of-options",
      `${name}^{commit}`,
    );
    return foundCommit.trim();
  } catch (error) {
    const tags = (await git(project, "tag", "--sort=-creatordate")).trim().split("\n").slice(0, 5);
    const known =
      tags.join("") === "" ? "This clone has no tags" : `Newest tags: ${tags.join(", ")}`;
    throw new Error(
      `There is no git tag "${name}". ${known}. Fetch the tags with: git fetch --tags`,
      { cause: error },
    );
  }
}

async function installPackages(folder: string, project: string): Promise<void> {
  const [own, theirs] = [project, folder].map((at) =>
    readFileSync(join(at, "package-lock.json"), "utf8"),
  );
  if (own === theirs) symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));
  // The README uses `npm install` too. `npm ci` refuses a lock file that lacks the packages of
  // other platforms, and some registries do not have these packages.
  else await run("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder });
}

async function git(project: string, ...words: string[]): Promise<string> {
  const { stdout } = await run("git", words, { cwd: project });
  return stdout;
}
