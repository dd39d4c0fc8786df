import { describe, expect, it } from "vitest";
import type { WatchlistRun } from "../../../functions/dashboard/browser/api/resources.ts";
import {
  brakeSentence,
  outcomeSentence,
} from "../../../functions/dashboard/browser/pages/watchlists/run-words.ts";
import { discardedRun, releasedRun } from "../../../tools/documents/examples/watchlists.ts";

type Brake = NonNullable<WatchlistRun["brake"]>;
const held = {
  status: "held",
  changed_items: 1_200,
  read_items: 1_240,
  max_changed_percent: 95,
} as Brake;
const counts =
  "1,200 of 1,240 items changed or were delisted, more than the 95% that the brake allows.";
const aRun = (change: Partial<WatchlistRun>): WatchlistRun =>
  ({ ...(discardedRun as object), ...change }) as WatchlistRun;

describe("the words about a run that its brake held", () => {
  it("are the counts and the limit while the run is held", () => {
    const run = aRun({ status: "held", brake: held });
    expect(brakeSentence(run)).toBe(counts);
    expect(outcomeSentence(run)).toBe(`is held. ${counts}`);
  });

  it("also contain the decision, and the reason if there is one", () => {
    const decided = (status: Brake["status"], reason: string | null): string =>
      brakeSentence(aRun({ brake: { ...held, status, reason } }));
    expect(decided("released", null)).toBe(`${counts} Released.`);
    expect(decided("discarded", null)).toBe(`${counts} Discarded.`);
    expect(decided("discarded", "Prices in cents.")).toBe(`${counts} Discarded: Prices in cents.`);
  });

  it("are empty for a run below its brake", () => {
    const { brake: _, ...run } = releasedRun as WatchlistRun;
    expect(brakeSentence(run)).toBe("");
  });
});
