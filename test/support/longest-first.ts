import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take ten seconds and more: begun last, one would keep a single worker busy at the end. */
const longest = [
  "test/shared/runs/run-model.property.test.ts",
  "test/world/kill.test.ts",
  "test/shared/runs/run-engine.test.ts",
  "test/lib/acknowledgements.test.ts",
  "test/world/observability.test.ts",
  "test/lib/constructs/service-function.test.ts",
  "test/tools/reconcile/reconcile.test.ts",
  "test/scripts/admin/cli.test.ts",
  "test/functions/watchlists/create-crash.test.ts",
  "test/shared/webhooks/outage.test.ts",
];

/** Begins with the files that take longest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = longest.findIndex((path) => moduleId.endsWith(`/${path}`));
      return place === -1 ? longest.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
