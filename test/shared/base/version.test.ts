import { expect, it } from "vitest";
import packageFile from "../../../package.json" with { type: "json" };
import { version } from "../../../shared/base/version.ts";

it("the version of the service equals the version in package.json", () => {
  expect(version).toBe(packageFile.version);
});
