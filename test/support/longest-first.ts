import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Test files that take ten seconds or more. If such a file started last, all workers except one
 * would be idle at the end.
 */
const longest = [
  "test/world/kill.slow.test.ts",
  "test/world/demo-workspace.slow.test.ts",
  "test/tools/reconcile/reconcile.slow.test.ts",
  "test/lib/validation.slow.test.ts",
  "test/lib/bundles.slow.test.ts",
  "test/scripts/commands.slow.test.ts",
  "test/scripts/admin/cli.slow.test.ts",
  "test/tools/reconcile/shards.slow.test.ts",
  "test/shared/runs/run-crash.property.test.ts",
  "test/shared/runs/run-model.property.test.ts",
  "test/shared/aws/ledger/faults.property.test.ts",
  "test/shared/aws/ledger/credit-history.test.ts",
  "test/shared/sources/misbehaving-source.slow.test.ts",
  "test/shared/sources/registry/one-source.slow.test.ts",
  "test/shared/sources/storefront/scraper.test.ts",
  "test/functions/products/read.test.ts",
];

/**
 * Sorts test files so that the slowest of each project start first. Keeps the files of a project
 * together, because a worker that shares modules between files ends when its next file belongs to
 * another project.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    const orderOf = ({ project, moduleId }: TestSpecification): number => {
      const place = longest.findIndex((path) => moduleId.endsWith(`/${path}`));
      const inProject = place === -1 ? longest.length : place;
      return projects.indexOf(project.name) * (longest.length + 1) + inProject;
    };
    return sorted.toSorted((a, b) => orderOf(a) - orderOf(b));
  }
}
