import { safeParse } from "valibot";
import { describe, expect, it } from "vitest";
import { invalidChoiceMessage, oneOf } from "../../../shared/base/valid-values.ts";

const states = ["new", "active", "delisted"] as const;

describe("the error message for a value that is not one of the valid values", () => {
  it.each([
    ["actve", `(got "actve"). Did you mean 'active'?`],
    ["DELISTED", `(got "DELISTED"). Did you mean 'delisted'?`],
    ["gone", `(got "gone").`],
    [7, "(got 7)."],
    [null, "(got null)."],
    [undefined, "(got nothing)."],
    ["x".repeat(100), `(got "${"x".repeat(39)}…).`],
  ])("for the value %j lists the valid values and ends with the text %s", (value, end) => {
    expect(invalidChoiceMessage("'state'", states, value)).toBe(
      `'state' must be one of new, active, delisted ${end}`,
    );
  });

  it("is also the message of the schema that the function oneOf returns", () => {
    expect(safeParse(oneOf("state", states), "active").output).toBe("active");
    expect(safeParse(oneOf("state", states), "actve").issues?.[0].message).toBe(
      `'state' must be one of new, active, delisted (got "actve"). Did you mean 'active'?`,
    );
  });
});
