import { describe, expect, it } from "vitest";
import { formatValue, addRefusedValue } from "../../../shared/base/shown-value.ts";

describe("a client's value in an error message", () => {
  it("is shown as JSON, cut after 40 characters", () => {
    expect(formatValue("a")).toBe('"a"');
    expect(formatValue(undefined)).toBe("nothing");
    expect(formatValue("x".repeat(50))).toBe(`"${"x".repeat(39)}…`);
  });

  it.each([
    ["'once' must be true or false.", 1, "'once' must be true or false (got 1)."],
    [
      "'id' must be a string. Put IDs in quotes.",
      9,
      "'id' must be a string (got 9). Put IDs in quotes.",
    ],
    ["'a' must be 0.5 or e.g.x.", null, "'a' must be 0.5 or e.g.x (got null)."],
    ["'a' must be plain.", "$& $1", `'a' must be plain (got "$& $1").`],
  ])("is inserted at the end of the first sentence of the message %j", (message, input, shown) => {
    expect(addRefusedValue(message)({ input })).toBe(shown);
  });
});
