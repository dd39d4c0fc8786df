import { describe, expect, it } from "vitest";
import { undeliveredWords } from "../../../functions/dashboard/browser/pages/watchlists/event-deliveries.ts";
import { keepsEventsOf } from "../../../functions/dashboard/browser/pages/watchlists/item-events.ts";

describe("an event on the page of an item", () => {
  it("states why it has no delivery as soon as all deliveries since the event are loaded", () => {
    expect(undeliveredWords({ isComplete: true })).toMatch(
      /no enabled endpoint subscribed to its type/,
    );
    expect(undeliveredWords({ isComplete: false })).toMatch(/^Not among the newest 500/);
    expect(undeliveredWords(undefined)).toBe("…");
  });

  it("is listed for 30 days after the end of its run", () => {
    const now = new Date("2026-11-28T12:00:00Z");
    expect(keepsEventsOf("2026-10-29T12:00:01Z", now)).toBe(true);
    expect(keepsEventsOf("2026-10-29T11:59:59Z", now)).toBe(false);
  });
});
