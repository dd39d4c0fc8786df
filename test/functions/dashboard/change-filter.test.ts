import { describe, expect, it } from "vitest";
import type { FieldChange } from "../../../functions/dashboard/browser/api/resources.ts";
import {
  changedFields,
  isEverywhere,
  isFieldOf,
  isOnPlatform,
} from "../../../functions/dashboard/browser/pages/changes/change-fields.ts";
import {
  changedFilter,
  comparisons,
  fieldsOf,
  hasNoSize,
  hasSize,
  kinds,
  queryOf,
  readFilter,
  sinceOf,
  sizesOf,
  sorts,
} from "../../../functions/dashboard/browser/pages/changes/change-filter.ts";
import {
  amountWords,
  percentWords,
  toneOf,
  valuesWords,
} from "../../../functions/dashboard/browser/pages/changes/change-words.ts";
import {
  changeKinds,
  checkKind,
  delistedField,
  isFieldOfKind,
} from "../../../shared/history/change-kinds.ts";
import {
  changeSorts,
  comparisons as apiComparisons,
} from "../../../shared/history/changes-query.ts";
import {
  checkNumbers,
  checkObservedField,
  checkObservedKind,
} from "../../../shared/history/observed-fields.ts";
import { type Platform, platforms } from "../../../shared/platforms/catalog.ts";

const read = (query: string) => readFilter(new URLSearchParams(query));

describe("the filters of the dashboard page 'What changed'", () => {
  it("keep their values when the dashboard writes them to the URL and reads them from it", () => {
    const filter = {
      span: "7",
      compare: "period",
      kind: "price_drop",
      watchlist: "wl_1",
      field: "price",
      percent: "5",
      amount: "2.5",
      sort: "amount",
    };
    expect(readFilter(new URLSearchParams(queryOf(filter)))).toEqual({ filter, ignored: [] });
    expect(queryOf(read("").filter)).toEqual({});
  });

  it("report each part of the URL that they cannot apply", () => {
    const { filter, ignored } = read(
      "span=400&kind=cheaper&sort=date&compare=week&period=7&field=x",
    );
    expect(queryOf(filter)).toEqual({});
    expect(ignored.map(({ name, value }) => `${name}=${value}`)).toEqual([
      "span=400",
      "kind=cheaper",
      "sort=date",
      "compare=week",
      "period=7",
      "field=x",
    ]);
    expect(ignored[0]?.reason).toBe("the valid values are 1, 7, 30");
    expect(ignored[4]?.reason).toMatch(/^this page has only span, compare, kind,/);
  });

  it("ignore the sizes in a URL if the kind of change in the URL has no size, and report each ignored size", () => {
    const { filter, ignored } = read("kind=sold_out&sort=size&percent=5&field=price");
    expect(filter).toMatchObject({ kind: "sold_out", field: "", sort: "time", percent: "" });
    expect(ignored.map(({ name }) => name)).toEqual(["field", "sort", "percent"]);
  });

  it("drop the field and the sizes that do not fit the kind of change that the user chooses", () => {
    const { filter } = read("kind=price_drop&field=price&percent=5&sort=size");
    expect(queryOf(changedFilter(filter, { kind: "sold_out" }))).toEqual({ kind: "sold_out" });
    expect(queryOf(changedFilter(filter, { kind: "price_rise" }))).toMatchObject({
      field: "price",
      percent: "5",
    });
  });

  it("accept a size with a percent sign or a decimal comma", () => {
    expect(sizesOf({ percent: "5%", amount: "5,5" })).toEqual({
      percent: { value: 5 },
      amount: { value: 5.5 },
    });
    expect(sizesOf({ percent: "-5", amount: "" }).percent.error).toMatch(/from 0 to 1,000,000/);
  });

  it("offer the same kinds, sort orders and comparisons as the API", () => {
    expect(kinds.map(([kind]) => kind)).toEqual(changeKinds);
    expect(sorts.map(([sort]) => sort)).toEqual(changeSorts);
    expect(comparisons.map(([compare]) => compare)).toEqual(apiComparisons);
    for (const kind of changeKinds) {
      const check = () => checkKind(kind, undefined, { min_delta: 1 });
      if (hasNoSize(kind)) expect(check).toThrow(/compares numbers/);
      else expect(check).not.toThrow();
    }
  });

  it("offer exactly the fields that the API accepts, with their platforms, kinds and sizes", () => {
    const isAccepted = (field: string, platform: Platform | undefined): boolean => {
      try {
        checkObservedField("field", field, { platform, more: [delistedField] });
        return true;
      } catch {
        return false;
      }
    };
    expect(() => checkObservedField("field", "none", { platform: undefined })).toThrow(
      Object.keys(changedFields)
        .filter((field) => field !== delistedField)
        .toSorted()
        .join(", "),
    );
    for (const [field, { isNumber }] of Object.entries(changedFields)) {
      for (const platform of Object.keys(platforms) as Platform[]) {
        expect([field, platform, isOnPlatform(platform, { field, kind: "" })]).toEqual([
          field,
          platform,
          isAccepted(field, platform),
        ]);
      }
      for (const kind of changeKinds) {
        expect([field, kind, isFieldOf(field, kind)]).toEqual([
          field,
          kind,
          isFieldOfKind(field, kind) && (kind !== "other" || field !== delistedField),
        ]);
      }
      const compare = () => checkNumbers(field, { min_delta: 1 });
      if (isNumber) expect(compare).not.toThrow();
      else expect(compare).toThrow(/compares numbers/);
      expect(hasSize({ field, kind: "" })).toBe(isNumber);
    }
    expect(fieldsOf("sold_out")).toEqual(["inStock"]);
  });

  it("request no changes from a platform if the API refuses the kind of change for that platform", () => {
    for (const platform of Object.keys(platforms) as Platform[]) {
      for (const kind of changeKinds) {
        const check = () => checkObservedKind(kind, platform);
        if (isOnPlatform(platform, { field: "", kind })) expect(check).not.toThrow();
        else expect(check).toThrow(/never have changes of the 'kind'/);
      }
    }
    expect(isEverywhere({ field: "", kind: "new_seller" })).toBe(false);
    expect(isEverywhere({ field: "price", kind: "" })).toBe(true);
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
  ] as const)("of the kind '%s' is marked with the tone '%s' for a buyer", (kind, tone) => {
    expect(toneOf(change({ kind }))).toBe(tone);
  });
});
