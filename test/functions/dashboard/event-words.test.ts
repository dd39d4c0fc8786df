import { describe, expect, it } from "vitest";
import { eventBodyOf } from "../../../functions/dashboard/browser/pages/webhooks/event-body.ts";
import {
  changeLines,
  ruleSentence,
  runSentence,
  valuesLine,
} from "../../../functions/dashboard/browser/pages/webhooks/event-words.ts";
import type { EventType } from "../../../shared/events/event.ts";
import { sampleData } from "../../../shared/webhooks/sample-events.ts";

const changed = "watchlist.product.changed";
const delisted = "watchlist.product.delisted";
const bodyOf = (type: EventType) =>
  eventBodyOf(
    JSON.stringify({ id: "evt_1", type, data: sampleData({ type, at: "", endpointId: "we_1" }) }),
  );
const entryOf = (type: EventType) => bodyOf(type).items!.entries[0]!;
const entry = { id: "1", step: "check", values: {} };

describe("the body of a delivery in the dashboard", () => {
  it("is indented, or unchanged if it is not JSON", () => {
    expect(eventBodyOf('{"a":[1]}').indented).toBe('{\n  "a": [\n    1\n  ]\n}');
    expect(eventBodyOf("not JSON")).toEqual({ indented: "not JSON" });
  });

  it("contains the entries of an event about items, with the values at the time of the event", () => {
    expect(bodyOf(changed).items).toMatchObject({ currency: "USD", part: 1, parts: 1 });
    for (const type of [changed, "watchlist.product.matched", delisted] as const) {
      expect(entryOf(type), type).toMatchObject({
        id: "9000001",
        label: "Test item",
        values: { price: 89.99, inStock: true },
      });
    }
    expect(bodyOf("webhook.test").items).toBeUndefined();
    expect(bodyOf("webhook.test").run).toBeUndefined();
  });

  it("contains the result of a run as one sentence", () => {
    expect(runSentence(bodyOf("watchlist.run.completed").run!)).toBe(
      "Run 1 ended with the status “completed”: no item changed. It cost 1 credit.",
    );
    const run = {
      runNumber: 1_200,
      status: "held",
      credits: 2,
      changed: 3,
      matched: 0,
      delisted: 1,
    };
    expect(runSentence(run)).toBe(
      "Run 1,200 ended with the status “held”: items: 3 changed, 1 delisted. It cost 2 credits.",
    );
  });
});

describe("the words for an event in the dashboard", () => {
  it("show each change with its percentage, and the known values", () => {
    expect(changeLines(entryOf(changed), "USD")).toEqual(["price: 99.99 USD → 89.99 USD (−10%)"]);
    expect(
      changeLines({ ...entry, changes: { inStock: { before: null, after: true } } }, ""),
    ).toEqual(["inStock: nothing → yes"]);
    expect(valuesLine(entryOf(delisted), "USD")).toBe("price: 89.99 USD, inStock: yes");
  });

  it("name the rule that caused the event, or all possible rules, or the reason why no rule is known", () => {
    const rules = [
      { step: "check", route: { when: "changed", notify: true, cooldown: "6h" } },
      { step: "check", route: { when: "changed", field: "price", op: "decreased" } },
    ];
    expect(ruleSentence(entry, changed, rules.slice(0, 1))).toBe(
      "Rule (step check): “any tracked field changed, at most every 6h”.",
    );
    expect(ruleSentence(entry, changed, rules)).toBe(
      "One or more of these rules (step check): “any tracked field changed, at most every 6h”; “price decreased”.",
    );
    expect(ruleSentence(entry, changed, [])).toContain("rule that the pipeline no longer has");
    expect(ruleSentence(entry, changed, undefined)).toContain("a watchlist that was deleted");
    expect(ruleSentence(entry, delisted, [])).toContain("Every delisted item is reported");
  });
});
