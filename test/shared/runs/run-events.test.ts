import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  type BatchResult,
  emptyStats,
  type ItemOutcome,
  type Run,
  type StepRecord,
} from "../../../shared/runs/run.ts";
import { runEvents } from "../../../shared/runs/run-events.ts";

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
  error: null,
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
  scraper: "retailer_d.standard",
  marketplace: "us",
  plan: "p",
  batches: 1,
  requested: 3,
  newItems: 0,
  done: new Set([0]),
  stats: null,
};
const changed = (id: string): ItemOutcome => ({
  id,
  status: "ok",
  at: "2026-03-02T00:00:30.000Z",
  snapshot: { price: 2 },
  changes: { price: { before: 1, after: 2 } },
});
const delisted = (id: string): ItemOutcome => ({
  id,
  status: "not_found",
  at: "2026-03-02T00:00:30.000Z",
  lastSnapshot: { price: 1 },
});
const result = (...outcomes: ItemOutcome[]): BatchResult => ({
  requested: outcomes.length,
  ok: outcomes.length,
  partial: 0,
  notFound: 0,
  unavailable: 0,
  outcomes,
});
const eventsOf = (...results: BatchResult[]): Record<string, never>[] =>
  runEvents(run, { step, results }).map((event) => JSON.parse(event.body) as Record<string, never>);

describe("events of a run", () => {
  it("come as changed, delisted, completed", () => {
    const types = eventsOf(result(delisted("2"), changed("1"))).map((event) => event["type"]);
    expect(types).toEqual([
      "watchlist.product.changed",
      "watchlist.product.delisted",
      "watchlist.run.completed",
    ]);
  });

  it("leave out what there is nothing to say of", () => {
    expect(eventsOf(result()).map((event) => event["type"])).toEqual(["watchlist.run.completed"]);
  });

  it("carry at most 500 items a part, none twice, none lost", () => {
    const ids = Array.from({ length: 1_201 }, (_, n) => String(100_000 + n));
    const parts = eventsOf(result(...ids.map(changed))).slice(0, -1) as unknown as {
      data: { part: number; parts: number; changes: { id: string }[] };
    }[];
    expect(parts.map(({ data }) => [data.part, data.parts, data.changes.length])).toEqual([
      [1, 3, 500],
      [2, 3, 500],
      [3, 3, 201],
    ]);
    expect(parts.flatMap(({ data }) => data.changes.map((entry) => entry.id))).toEqual(ids);
  });

  it("have the specification's shape", () => {
    const [first] = eventsOf(result(changed("1")));
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

  it("are the same bytes whenever they are made again", () => {
    const make = (): string[] =>
      runEvents(run, { step, results: [result(changed("1"), delisted("2"))] }).map((e) => e.body);
    expect(make()).toEqual(make());
  });

  it("end with counts and a digest over all ids in order", () => {
    const events = eventsOf(result(changed("1"), delisted("2")));
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

  it("are none for a list deleted while it ran", () => {
    expect(runEvents({ ...run, watchlist: null }, { step, results: [] })).toEqual([]);
  });
});
