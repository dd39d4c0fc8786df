import { expect, it } from "vitest";
import { storedVersionsEnvironment } from "../../../scripts/measure/stored-versions.ts";

it.each(["current", "next"])("measured processes write the chosen versions: %s", (choice) => {
  expect(storedVersionsEnvironment(choice)).toEqual({ STORED_VERSIONS: choice });
});

it("an unknown choice of versions is refused, and the error lists the choices", () => {
  expect(() => storedVersionsEnvironment("2")).toThrow(
    '--stored-versions must be one of: current, next (got "2").',
  );
});
