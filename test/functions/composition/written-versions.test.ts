import { expect, it } from "vitest";
import { configuredVersions } from "../../../functions/composition/written-versions.ts";

it("a Lambda function writes rows in the previous versions if its environment requests this, and otherwise in the current versions", () => {
  expect(configuredVersions({})).toBe("current");
  expect(configuredVersions({ STORED_VERSIONS: "current" })).toBe("current");
  expect(configuredVersions({ STORED_VERSIONS: "previous" })).toBe("previous");
  expect(configuredVersions({ STORED_VERSIONS: "next" })).toBe("next");
});

it("a Lambda function does not start if STORED_VERSIONS is not 'current', 'previous' or 'next'", () => {
  expect(() => configuredVersions({ STORED_VERSIONS: "1" })).toThrow(
    'STORED_VERSIONS must be one of: current, previous, next (got "1").',
  );
});
