import { describe, expect, it } from "vitest";
import type { WatchlistRun } from "../../../functions/dashboard/browser/api/resources.ts";
import {
  brakeSentence,
  durationWords,
  outcomeSentence,
} from "../../../functions/dashboard/browser/pages/watchlists/run-words.ts";
import { discardedRun, releasedRun } from "../../../tools/documents/examples/watchlists.ts";

type Brake = NonNullable<WatchlistRun["brake"]>;
const held = {
  status: "held",
  cause: "changed_items",
  changed_items: 1_200,
  read_items: 1_240,
  max_changed_percent: 95,
} as Brake;
const counts =
  "1,200 of 1,240 items changed or were delisted, more than the 95% that the brake allows.";
const aRun = (change: Partial<WatchlistRun>): WatchlistRun =>
  ({ ...(discardedRun as object), ...change }) as WatchlistRun;

describe("the text about a held run in the dashboard", () => {
  it("contains the number of changed items and the limit of the brake while the run is held", () => {
    const run = aRun({ status: "held", brake: held });
    expect(brakeSentence(run)).toBe(counts);
    expect(outcomeSentence(run)).toBe(`is held. ${counts}`);
  });

  it("contains, after the decision, whether the run was released or discarded, and the reason if there is one", () => {
    const decided = (status: Brake["status"], reason: string | null): string =>
      brakeSentence(aRun({ brake: { ...held, status, reason } }));
    expect(decided("released", null)).toBe(`${counts} Released.`);
    expect(decided("discarded", null)).toBe(`${counts} Discarded.`);
    expect(decided("discarded", "Prices in cents.")).toBe(`${counts} Discarded: Prices in cents.`);
  });

  it("names the factor of the prices and the lost fields if the shape of the source's answers changed", () => {
    const shape = {
      price_factor: 100,
      price_items: 1_200,
      lost_fields: ["inStock", "seller"],
      incomplete_items: null,
    };
    const run = aRun({ brake: { ...held, cause: "source_shape" }, source_shape: shape });
    expect(brakeSentence(run)).toBe(
      "The shape of the source's answers changed: the prices of 1,200 items changed by the factor 100; " +
        "nearly all items lost the fields inStock, seller.",
    );
  });

  it("is empty for a run that the brake did not hold", () => {
    const { brake: _, ...run } = releasedRun as WatchlistRun;
    expect(brakeSentence(run)).toBe("");
  });
});

describe("the text about the outcome of a run in the dashboard", () => {
  const { brake: _, ...run } = releasedRun as WatchlistRun;
  const stats = { ...run.stats, changed: 0, new_items: 0, delisted: 0, retry_next_run: 0 };
  const outcome = (changed: Partial<typeof stats>): string =>
    outcomeSentence({ ...run, status: "completed", error: null, stats: { ...stats, ...changed } });

  it("counts the items without a complete answer of the source separately", () => {
    expect(outcome({ new_items: 20_000, retry_next_run: 408 })).toBe(
      "completed: 0 changed, 20,000 new, 408 without a complete answer.",
    );
  });

  it("omits counts of zero, except for changed items", () => {
    expect(outcome({})).toBe("completed: 0 changed.");
    expect(outcome({ changed: 3, delisted: 1 })).toBe("completed: 3 changed, 1 delisted.");
  });
});

describe("the text of a run's duration in the dashboard", () => {
  const startedAt = "2026-03-01T10:00:00.000Z";

  it.each([
    [3.24, "3.2 s"],
    [9.6, "10 s"],
    [12, "12 s"],
    [59.6, "1 min 0 s"],
    [119.7, "2 min 0 s"],
    [184.2, "3 min 4 s"],
  ])("shows %d seconds as '%s'", (seconds, words) => {
    const finishedAt = new Date(Date.parse(startedAt) + seconds * 1_000).toISOString();
    expect(durationWords(aRun({ started_at: startedAt, finished_at: finishedAt }))).toBe(words);
  });

  it("is a dash for a run in progress", () => {
    expect(durationWords(aRun({ started_at: startedAt, finished_at: null }))).toBe("–");
  });
});
