import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { timeOf } from "../../../shared/base/ids.ts";
import { defaultPipeline } from "../../../shared/pipelines/default.ts";
import type { ItemOutcome } from "../../../shared/runs/item-outcome.ts";
import { emptyStats, type Run } from "../../../shared/runs/run.ts";
import type { StepRecord } from "../../../shared/runs/step.ts";
import { noLimits } from "../../../shared/watchlists/settings.ts";
import { runEvents } from "../../../shared/runs/run-events.ts";
import { resultsIn } from "../../../tools/stand-ins/results-in.ts";

const finishedAt = "2026-03-02T00:01:00.000Z";
const run: Run = {
  id: "wlrun_abc",
  accountId: "acct_1",
  watchlistId: "wl_1",
  runNumber: 7,
  trigger: "schedule",
  kind: "sweep",
  phase: "emitting",
  status: "completed",
  startedAt: "2026-03-02T00:00:00.000Z",
  finishedAt,
  credits: 3,
  stats: emptyStats("check"),
  limits: noLimits,
  error: null,
  progressAt: finishedAt,
  pipeline: defaultPipeline("retailer_d", 8),
  plan: "p",
  watchlist: {
    id: "wl_1",
    name: "List",
    platform: "retailer_d",
    marketplace: "us",
    currency: "USD",
    status: "active",
    pausedReason: null,
    nextRunAt: "2026-03-02T01:00:00.000Z",
    webhookEndpointId: null,
  },
};
const step: StepRecord = {
  runId: run.id,
  step: "check",
  position: 0,
  scraper: "retailer_d.standard",
  plan: "p",
  batches: 1,
  items: 3,
  starts: null,
  decision: "read",
  shortfall: null,
  isSent: false,
  done: new Set([0]),
  stats: null,
};
const base = (id: string) => ({ id, addedAt: finishedAt, at: "2026-03-02T00:00:30.000Z" });
const changed = (id: string): ItemOutcome => ({
  ...base(id),
  status: "ok",
  reported: { price: 2 },
  changes: { price: { before: 1, after: 2 } },
});
const matched = (id: string): ItemOutcome => ({
  ...base(id),
  status: "ok",
  matched: { branches: ["ok", "always"], values: { price: 2 } },
});
const delisted = (id: string): ItemOutcome => ({
  ...base(id),
  status: "not_found",
  lastSnapshot: { price: 1 },
});
const eventsIn = (of: Run, outcomes: readonly ItemOutcome[]) =>
  Array.fromAsync(runEvents(of, resultsIn([{ step, outcomes }])));
const eventsOf = async (...outcomes: ItemOutcome[]): Promise<Record<string, never>[]> =>
  (await eventsIn(run, outcomes)).map((event) => JSON.parse(event.body) as Record<string, never>);

describe("the events of a run", () => {
  it("are in the order changed, matched, delisted, completed", async () => {
    const types = (await eventsOf(delisted("2"), matched("3"), changed("1"))).map(
      (event) => event["type"],
    );
    expect(types).toEqual([
      "watchlist.product.changed",
      "watchlist.product.matched",
      "watchlist.product.delisted",
      "watchlist.run.completed",
    ]);
  });

  it("contain a matched item once for each matching 'when', with the values that the step can test", async () => {
    const [event] = (await eventsOf(matched("1"))) as unknown as {
      data: { products: unknown[] };
    }[];
    const entry = {
      id: "1",
      matched_at: "2026-03-02T00:00:30.000Z",
      step: "check",
      scraper: "retailer_d.standard",
      status: "ok",
      values: { price: 2 },
    };
    expect(event?.data.products).toEqual([
      { ...entry, branch: "ok" },
      { ...entry, branch: "always" },
    ]);
  });

  it("do not contain a change that no route reports", async () => {
    const { reported: _reported, ...silent } = changed("1");
    expect((await eventsOf(silent)).map((event) => event["type"])).toEqual([
      "watchlist.run.completed",
    ]);
  });

  it("contain the item ID as 'asin' in the entries of retailer_a", async () => {
    const list = { ...run.watchlist, platform: "retailer_a" } as Run["watchlist"];
    const outcomes = [changed("B000000001"), matched("B000000002"), delisted("B000000003")];
    const entries = (await eventsIn({ ...run, watchlist: list }, outcomes))
      .slice(0, -1)
      .map((event) => JSON.parse(event.body) as { data: Record<string, { asin: string }[]> })
      .flatMap(({ data }) => data["changes"] ?? data["products"] ?? []);
    expect(new Set(entries.map(({ asin }) => asin))).toEqual(new Set(outcomes.map(({ id }) => id)));
  });

  it("include no event of a type for which no item has an entry", async () => {
    expect((await eventsOf()).map((event) => event["type"])).toEqual(["watchlist.run.completed"]);
  });

  it("contain each item once, in events of at most 500 items", async () => {
    const ids = Array.from({ length: 1_201 }, (_, n) => String(100_000 + n));
    const parts = (await eventsOf(...ids.map(changed))).slice(0, -1) as unknown as {
      data: { part: number; parts: number; changes: { id: string }[] };
    }[];
    expect(parts.map(({ data }) => [data.part, data.parts, data.changes.length])).toEqual([
      [1, 3, 500],
      [2, 3, 500],
      [3, 3, 201],
    ]);
    expect(parts.flatMap(({ data }) => data.changes.map((entry) => entry.id))).toEqual(ids);
  });

  it("have the format of the specification", async () => {
    const [first] = await eventsOf(changed("1"));
    expect(first).toMatchObject({
      id: expect.stringMatching(/^evt_/),
      created_at: finishedAt,
      data: {
        watchlist_id: "wl_1",
        watchlist_name: "List",
        platform: "retailer_d",
        marketplace: "us",
        currency: "USD",
        run_id: "wlrun_abc",
        run_number: 7,
        part: 1,
        parts: 1,
        changes: [
          {
            id: "1",
            changed_at: "2026-03-02T00:00:30.000Z",
            tier: "standard",
            step: "check",
            scraper: "retailer_d.standard",
            changes: { price: { before: 1, after: 2 } },
            snapshot: { price: 2 },
          },
        ],
      },
    });
  });

  it("have identical bytes when the finisher creates them again", async () => {
    const make = async () =>
      (await eventsIn(run, [changed("1"), delisted("2")])).map(({ body }) => body);
    expect(await make()).toEqual(await make());
  });

  it("have unique IDs that contain the end time of the run", async () => {
    const outcomes = [changed("1"), matched("2"), delisted("3")];
    const idsOf = async (of: Run) => (await eventsIn(of, outcomes)).map(({ id }) => id);
    const ids = [...(await idsOf(run)), ...(await idsOf({ ...run, id: "wlrun_other" }))];

    expect(ids.map((id) => timeOf("event", id)?.toISOString())).toEqual(ids.map(() => finishedAt));
    expect(new Set(ids).size).toBe(8);
  });

  it("end with the event that has the number of all events and the digest of their IDs", async () => {
    const events = await eventsOf(changed("1"), delisted("2"));
    const digest = createHash("sha256")
      .update(events.map((event) => String(event["id"])).join("\n"))
      .digest("hex");
    expect(events.at(-1)?.["data"]).toMatchObject({
      object: "watchlist_run",
      events: {
        "watchlist.product.changed": 1,
        "watchlist.product.delisted": 1,
        "watchlist.run.completed": 1,
      },
      events_digest: digest,
    });
  });

  it("are an empty list if the watchlist was deleted during the run", async () => {
    expect(await eventsIn({ ...run, watchlist: null }, [])).toEqual([]);
  });
});
