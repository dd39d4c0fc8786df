import { expect, it } from "vitest";
import {
  type Route,
  routeWords,
  ruleWords,
} from "../../../functions/dashboard/browser/pages/watchlists/pipeline-words.ts";

const words: readonly (readonly [Route, string])[] = [
  [{ when: "not_found", notify: true }, "not found"],
  [{ when: "changed", field: "price", op: "decreased" }, "price decreased"],
  [
    { when: "changed", field: "price", op: "decreased", min_delta_percent: 5, cooldown: "6h" },
    "price decreased, by 5% or more, at most every 6h",
  ],
  [
    { when: "ok", field: "price", op: "below", value: 95, confirm: 2, once: true },
    "price below 95, 2 reads in a row, once",
  ],
  [
    { when: "changed", min_delta: 3, where: [{ field: "inStock", op: "is_not", value: false }] },
    "changed, by 3 or more, inStock is not false",
  ],
];

it.each(words)("the drawing of a pipeline describes every key of the route %j", (route, text) => {
  expect(routeWords(route)).toBe(text);
});

it("the description of a rule names the cause of the rule, whether or not the rule names a field", () => {
  expect(ruleWords({ when: "changed", cooldown: "6h" })).toBe(
    "any tracked field changed, at most every 6h",
  );
  expect(ruleWords({ when: "ok", where: [{ field: "price", op: "below", value: 5 }] })).toBe(
    "the item was read, price below 5",
  );
  expect(ruleWords({ when: "a later cause" })).toBe("a later cause");
  expect(ruleWords({ when: "changed", field: "price" })).toBe("price changed");
});

it.each([
  ["decreased", "price decreased, by 5% or more from the highest value since the last event"],
  ["increased", "price increased, by 5% or more from the lowest value since the last event"],
  [undefined, "price changed, by 5% or more from the value in the last event"],
] as const)(
  "the description of a rule with a minimum difference and the test %j names the value from which the difference is measured",
  (op, text) => {
    const route: Route = { when: "changed", field: "price", min_delta_percent: 5 };
    expect(ruleWords({ ...route, ...(op && { op }) })).toBe(text);
  },
);

it("the description of a rule shows a minimum difference unchanged if the minimum difference is a text instead of a number", () => {
  const route = { when: "changed", field: "price", min_delta: "many" } as unknown as Route;
  expect(routeWords(route)).toBe("price changed, by many or more");
});
