import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { creditLimitField } from "../../../shared/credits/credit-limit-field.ts";

describe("the field 'max_credits' of a request body", () => {
  const body = v.object({
    max_credits: creditLimitField("max_credits", "Most credits of a call."),
  });

  it.each([{}, { max_credits: null }, { max_credits: 1 }, { max_credits: 2 ** 53 - 1 }])(
    "may be absent, null or a positive integer (body: %j)",
    (sent) => {
      expect(v.parse(body, sent)).toEqual(sent);
    },
  );

  it.each([0, -1, 1.5, 2 ** 53, "1", true])("is refused if its value is %j", (sent) => {
    expect(() => v.parse(body, { max_credits: sent })).toThrow(
      `'max_credits' must be an integer from 1 to 9007199254740991, or null (got ${JSON.stringify(sent)}).`,
    );
  });
});
