import { expect, it } from "vitest";
import { writtenVersions } from "../../../functions/composition/written-versions.ts";

it("A function writes the current versions, unless its environment requests the previous ones", () => {
  expect(writtenVersions({})).toBe("current");
  expect(writtenVersions({ STORED_VERSIONS: "current" })).toBe("current");
  expect(writtenVersions({ STORED_VERSIONS: "previous" })).toBe("previous");
});

it("A function does not start with another value of STORED_VERSIONS", () => {
  expect(() => writtenVersions({ STORED_VERSIONS: "1" })).toThrow(
    'STORED_VERSIONS must be current or previous (got "1")',
  );
});
