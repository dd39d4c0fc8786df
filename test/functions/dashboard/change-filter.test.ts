import { describe, expect, it } from "vitest";
import type { FieldChange } from "../../../functions/dashboard/browser/api/resources.ts";
import {
  filterIn,
  hasNoSize,
  isKindOf,
  kinds,
  queryOf,
  sinceOf,
} from "../../../functions/dashboard/browser/pages/changes/change-filter.ts";
import {
  amountWords,
  percentWords,
  toneOf,
  valuesWords,
} from "../../../functions/dashboard/browser/pages/changes/change-words.ts";
import { changeKinds, checkKind } from "../../../shared/history/change-kinds.ts";
import { checkObservedKind } from "../../../shared/history/observed-fields.ts";
import { stepScrapers } from "../../../shared/scrapers/catalog.ts";

describe("the filters of the dashboard page 'What changed'", () => {
  it("keep their values when they are written to the address and read from it", () => {
    const filter = {
      span: "7",
      kind: "price_drop",
      watchlist: "wl_1",
      field: "price",
      percent: "5",
      amount: "2.5",
      sort: "amount",
    };
    expect(filterIn(new URLSearchParams(queryOf(filter)))).toEqual(filter);
    expect(queryOf(filterIn(new URLSearchParams()))).toEqual({});
  });

  it("ignore unknown values, and a size for a kind of change without a size", () => {
    const query = "span=400&kind=sold_out&sort=size&percent=5&amount=2";
    expect(filterIn(new URLSearchParams(query))).toMatchObject({
      span: "1",
      kind: "sold_out",
      sort: "time",
      percent: "",
      amount: "",
    });
  });

  it("offer the kinds of change of the API, and hide the size filter for kinds without a size", () => {
    expect(kinds.map(([kind]) => kind)).toEqual(changeKinds);
    for (const kind of changeKinds) {
      const check = () => checkKind(kind, undefined, { min_delta: 1 });
      if (hasNoSize(kind)) expect(check).toThrow(/compares numbers/);
      else expect(check).not.toThrow();
    }
  });

  it("refuse a kind of change for the same platforms as the API", () => {
    const platforms = new Set(Object.values(stepScrapers).map(({ platform }) => platform));
    for (const platform of platforms) {
      for (const kind of changeKinds) {
        const check = () => checkObservedKind(kind, platform);
        if (isKindOf(platform, kind)) expect(check).not.toThrow();
        else expect(check).toThrow(/never have changes of the 'kind'/);
      }
    }
  });

  it("select changes since midnight today, or since the chosen number of days ago", () => {
    const now = new Date(2026, 10, 28, 15, 30);
    expect(sinceOf("1", now)).toEqual(new Date(2026, 10, 28));
    expect(sinceOf("7", now).getTime()).toBe(now.getTime() - 7 * 86_400_000);
  });
});

const change = (part: Partial<FieldChange>): FieldChange => ({
  object: "field_change",
  watchlist_id: "wl_1",
  watchlist_name: "Kettles",
  platform: "retailer_d",
  currency: "USD",
  item_id: "9000001",
  label: null,
  title: null,
  url: null,
  image: null,
  kind: "price_drop",
  field: "price",
  before: 80,
  after: 70,
  last_known: 80,
  delta: -10,
  delta_percent: -12.5,
  changed_at: "2026-11-27T08:00:00.000Z",
  run_number: 2,
  step: "check",
  ...part,
});

describe("a change on the dashboard page 'What changed'", () => {
  it("shows its size in percent and as an amount, with a sign and the currency of a price", () => {
    expect([percentWords(change({})), amountWords(change({}))]).toEqual(["−12.5%", "−10.00 USD"]);
    const offers = change({ kind: "other", field: "newOffers", delta: 2, delta_percent: null });
    expect([percentWords(offers), amountWords(offers)]).toEqual(["", "+2"]);
    expect(amountWords(change({ delta: null }))).toBe("");
  });

  it("shows the last known value of a price that was unknown for a time", () => {
    expect(valuesWords(change({}))).toBe("80.00 → 70.00 USD");
    expect(valuesWords(change({ before: null }))).toBe("80.00 USD, then nothing → 70.00 USD");
    expect(valuesWords(change({ before: null, last_known: null }))).toBe("nothing → 70.00 USD");
    expect(valuesWords(change({ kind: "delisted", field: "delisted" }))).toBe("listed → delisted");
  });

  it.each([
    ["price_drop", "good"],
    ["back_in_stock", "good"],
    ["price_rise", "bad"],
    ["sold_out", "bad"],
    ["delisted", "bad"],
    ["new_seller", "neutral"],
    ["other", "neutral"],
  ] as const)("of the kind '%s' is marked as '%s' for a buyer", (kind, tone) => {
    expect(toneOf(change({ kind }))).toBe(tone);
  });
});
