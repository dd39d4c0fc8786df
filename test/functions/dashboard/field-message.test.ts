import { describe, expect, it } from "vitest";
import { problemWords } from "../../../functions/dashboard/browser/pages/watchlists/rule-problem.ts";
import { fieldMessage } from "../../../functions/dashboard/browser/ui/field-message.ts";
import { creditLimitField } from "../../../shared/credits/credit-limit-field.ts";
import { routeBody } from "../../../shared/pipelines/pipeline-body.ts";
import { missingParam } from "../../../shared/base/errors.ts";
import { safeParse } from "valibot";

describe("an API error that the dashboard shows at a form field", () => {
  it("names the field by its label instead of the parameter", () => {
    expect(fieldMessage("Name", "'name' is empty. Send a name for the watchlist.")).toBe(
      "Name is empty. Send a name for the watchlist.",
    );
    expect(fieldMessage("URL", missingParam("url").message)).toBe("URL is empty. Enter a value.");
    expect(fieldMessage("Item IDs", "'ids[1]' must be a SKU (got \"zz\").")).toBe(
      'Entry 2 must be a SKU (got "zz").',
    );
  });

  it("states that the field may be empty if the parameter may be null", () => {
    const [issue] = safeParse(creditLimitField("daily_credit_budget", ""), "abc").issues ?? [];
    expect(fieldMessage("Credits per day", issue?.message ?? "")).toBe(
      'Credits per day must be a whole number of at least 1, or empty (got "abc").',
    );
  });

  it("is shown unchanged if it does not begin with a parameter", () => {
    const message = "The host of 'url' cannot be resolved.";
    expect(fieldMessage("URL", message)).toBe(message);
  });
});

describe("an API error about a rule in the dashboard's form", () => {
  it("names the control or the test of the rule by the words of the form", () => {
    const message = "'cooldown' must be a time from 5m to 30d (got \"x\").";
    expect(problemWords({ message, part: "cooldown" })).toBe(
      '“at most once every” must be a time from 5m to 30d (got "x").',
    );
    const missing = "Parameter 'pipeline.steps[0].routes[0].where[1].value' is required.";
    expect(problemWords({ message: missing, part: "where[1].value" })).toBe(
      "Test 2: The value is empty. Enter a value.",
    );
    const key = "'metadata' must be a metadata key.";
    expect(problemWords({ message: key, part: "value.metadata" })).toBe(
      "The value must be a metadata key.",
    );
  });

  it("states which numbers a minimum difference can be, with an example", () => {
    const route = { when: "changed", field: "price", min_delta_percent: "many" };
    const [issue] = safeParse(routeBody, route).issues ?? [];
    expect(problemWords({ message: issue?.message ?? "", part: "min_delta_percent" })).toBe(
      '“by at least, in percent” must be a number greater than 0, such as 5 or 2.5 (got "many").',
    );
  });

  it("is shown unchanged if it is about the whole rule", () => {
    const message = "This route does nothing.";
    expect(problemWords({ message, part: "" })).toBe(message);
  });
});
