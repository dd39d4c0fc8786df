import { expect, it } from "vitest";
import { configuredVersions } from "../../../functions/composition/written-versions.ts";

it("a Lambda function writes rows in the previous versions if its environment requests them, and otherwise in the current ones", () => {
  expect(configuredVersions({})).toBe("current");
  expect(configuredVersions({ STORED_VERSIONS: "current" })).toBe("current");
  expect(configuredVersions({ STORED_VERSIONS: "previous" })).toBe("previous");
});

it("a Lambda function does not start if STORED_VERSIONS is neither 'current' nor 'previous'", () => {
  expect(() => configuredVersions({ STORED_VERSIONS: "1" })).toThrow(
    'STORED_VERSIONS must be current or previous (got "1").',
  );
});
