import { describe, expect, it } from "vitest";
import { stepOf } from "../../../shared/pipelines/definition.ts";
import { matchRoutes, type RouteMatches } from "../../../shared/pipelines/rules.ts";
import { templates } from "../../../shared/pipelines/templates.ts";
import type { Platform } from "../../../shared/platforms/catalog.ts";
import type { Snapshot } from "../../../shared/scrapers/catalog.ts";

interface Read {
  readonly platform: Platform;
  readonly id: string;
  readonly step: string;
  readonly before: Snapshot;
  readonly after: Snapshot;
}

/** Matches the routes of one step of a template after a read. */
function matchesOf({ platform, id, step, before, after }: Read): RouteMatches {
  const template = templates(platform).find((one) => one.id === id);
  if (template === undefined) throw new Error(`no template ${id}`);
  return matchRoutes(stepOf(template.pipeline, step), {
    status: "ok",
    firstRead: false,
    before,
    after,
    known: before,
    notified: new Set(),
    derived: {},
  });
}

describe("the pipeline template", () => {
  it.each<
    Omit<Read, "step" | "before" | "after"> & {
      readonly field: string;
      readonly to: string | boolean;
      readonly from: string | boolean;
    }
  >([
    { platform: "retailer_b", id: "back_in_stock", field: "inStock", from: false, to: true },
    { platform: "retailer_b", id: "clearance", field: "clearance", from: false, to: true },
    {
      platform: "retailer_c",
      id: "pickup_available",
      field: "pickup",
      from: "OUT_OF_STOCK",
      to: "IN_STOCK",
    },
    { platform: "retailer_d", id: "purchasable", field: "purchasable", from: false, to: true },
  ])(
    "'$id' of the platform $platform reports a change of $field to $to, and does not report the change back",
    ({ platform, id, field, from, to }) => {
      const read = { platform, id, step: "check" };
      const [was, is] = [{ [field]: from }, { [field]: to }];
      expect(matchesOf({ ...read, before: was, after: is }).notifyChanged).toBe(true);
      expect(matchesOf({ ...read, before: is, after: was }).notifyChanged).toBe(false);
    },
  );

  it("'buybox_watch' reports a new seller in the buy box, and returns the offers of the item", () => {
    const read = { platform: "retailer_a", id: "buybox_watch" } as const;
    const seller = { before: { merchant: "A1" }, after: { merchant: "A2" } };
    const offers = { before: { offerCount: 1 }, after: { offerCount: 1 } };
    expect(matchesOf({ ...read, step: "lite", ...seller })).toMatchObject({
      notifyChanged: true,
      next: ["offers"],
    });
    expect(matchesOf({ ...read, step: "offers", ...offers }).matched).toEqual(["ok"]);
  });

  it("'every_reading' reports an item that did not change", () => {
    const same = { price: 10 };
    const read = { platform: "retailer_b", id: "every_reading", step: "check" } as const;
    expect(matchesOf({ ...read, before: same, after: same }).matched).toEqual(["ok"]);
  });
});
