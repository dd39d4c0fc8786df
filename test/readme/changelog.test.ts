import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const changelog = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
const releases = changelog.split(/^## /m).slice(1);

it("the changelog contains each kind of change, and each entry, at most once in a release", () => {
  expect(releases.length).toBeGreaterThan(0);
  for (const release of releases) {
    const headings = release.match(/^### .*$/gm) ?? [];
    const entries = release.split(/^- /m).slice(1);
    expect(headings).toEqual([...new Set(headings)]);
    expect(entries).toEqual([...new Set(entries)]);
  }
});
