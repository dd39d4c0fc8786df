import { expect, it } from "vitest";
import { releasesOf } from "../../../scripts/published/changelog.ts";

const changelog = `# Changelog

All changes.

## [Unreleased]

### Operators must

- Deploy twice.

### Added

- \`rows\` of the [S3 destination](docs/s3-export.md), on
  two lines.

## [1.2.0] - 2026-03-01

### Fixed

- One thing.
- Another thing.
`;

const none = { added: [], changed: [], deprecated: [], removed: [], fixed: [] };

it("the changelog parser returns releases with their entries as plain text, without the sections for operators", () => {
  expect(releasesOf(changelog)).toEqual([
    {
      ...none,
      object: "release",
      version: null,
      date: null,
      added: ["rows of the S3 destination, on two lines."],
    },
    {
      ...none,
      object: "release",
      version: "1.2.0",
      date: "2026-03-01",
      fixed: ["One thing.", "Another thing."],
    },
  ]);
});

it("the changelog parser refuses a release without a date, and names the heading to correct", () => {
  expect(() => releasesOf("## [1.2.0]\n")).toThrow(
    'The heading "[1.2.0]" of CHANGELOG.md must have the form "[1.2.3] - 2026-11-23", or be "[Unreleased]".',
  );
});
