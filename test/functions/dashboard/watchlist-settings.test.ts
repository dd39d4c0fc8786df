import { describe, expect, it } from "vitest";
import type { Watchlist } from "../../../functions/dashboard/browser/api/resources.ts";
import {
  changedLimits,
  isLimit,
  limitFieldsOf,
  type LimitsDraft,
  limitsOf,
  newLimits,
  newSettings,
} from "../../../functions/dashboard/browser/pages/watchlists/watchlist-settings.ts";
import { defaultBrake, presentBrake } from "../../../shared/watchlists/brake-setting.ts";
import { defaultSettings, presentSettings } from "../../../shared/watchlists/settings.ts";
import { watchlist } from "../../../tools/documents/examples/watchlists.ts";

const aList = (change: Partial<Watchlist>): Watchlist => ({ ...watchlist, ...change }) as Watchlist;
const noLimits = { max_credits_per_run: null, daily_credit_budget: null, brake: null };

it("the settings of a new watchlist in the dashboard's form are the defaults of the service", () => {
  const numbers = Object.entries(newSettings).map(([name, text]) => [name, Number(text)]);
  expect({ ...Object.fromEntries(numbers), ...limitFieldsOf(newLimits) }).toEqual(
    presentSettings(defaultSettings),
  );
});

describe("the limits of a watchlist in the dashboard's form", () => {
  it("are the same after a conversion to the fields of the form and back", () => {
    const set = {
      max_credits_per_run: 200,
      daily_credit_budget: 1_000,
      brake: { max_changed_percent: 12.5, min_items: 3 },
    };
    expect(limitFieldsOf(limitsOf(aList(set)))).toEqual(set);
    expect(limitFieldsOf(limitsOf(aList(noLimits)))).toEqual(noLimits);
  });

  it("contain the default brake when the user turns on the brake of a watchlist that has none", () => {
    const draft = { ...limitsOf(aList(noLimits)), isBraked: true };
    expect(limitFieldsOf(draft).brake).toEqual(presentBrake(defaultBrake));
  });

  it("are sent only if the user changed them", () => {
    const opened = limitsOf(aList({ ...noLimits, max_credits_per_run: 200 }));
    expect(changedLimits(opened, opened)).toEqual({});
    const typed = (credits: Partial<LimitsDraft["credits"]>): LimitsDraft => ({
      ...opened,
      credits: { ...opened.credits, ...credits },
    });
    const brake = { ...opened.brake, min_items: "7" };
    expect(changedLimits(typed({ max_credits_per_run: " 200 " }), opened)).toEqual({});
    expect(changedLimits({ ...opened, brake }, opened)).toEqual({});
    const both = typed({ max_credits_per_run: " ", daily_credit_budget: "5" });
    expect(changedLimits(both, opened)).toEqual({
      max_credits_per_run: null,
      daily_credit_budget: 5,
    });
    expect(changedLimits({ ...opened, isBraked: true, brake }, opened)).toEqual({
      brake: { max_changed_percent: 95, min_items: 7 },
    });
  });

  it.each(["many", "Infinity", "NaN", "1,000"])(
    "are sent with the invalid text '%s' instead of being turned off",
    (text) => {
      const draft = {
        ...newLimits,
        credits: { ...newLimits.credits, max_credits_per_run: text },
        brake: { max_changed_percent: text, min_items: text },
      };
      expect(JSON.parse(JSON.stringify(limitFieldsOf(draft)))).toEqual({
        ...noLimits,
        max_credits_per_run: text,
        brake: { max_changed_percent: text, min_items: text },
      });
    },
  );

  it("are sent with an empty text for a brake field that the user left empty", () => {
    const brake = { ...newLimits.brake, min_items: "" };
    expect(limitFieldsOf({ ...newLimits, brake }).brake).toMatchObject({ min_items: "" });
  });

  it("are recognized by the name of the parameter in an error", () => {
    const params = ["max_credits_per_run", "daily_credit_budget", "brake", "brake.min_items"];
    expect(params.filter(isLimit)).toEqual(params);
    expect(["name", "max_credits", "brakes"].filter(isLimit)).toEqual([]);
  });
});
