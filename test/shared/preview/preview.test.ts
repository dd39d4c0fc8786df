import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import type { Pipeline, Route } from "../../../shared/pipelines/definition.ts";
import { presentPreview } from "../../../shared/preview/present-preview.ts";
import { preview, type Preview } from "../../../shared/preview/preview.ts";
import { findPreviewItems } from "../../../shared/preview/previewed-items.ts";
import type { StepSources } from "../../../shared/runs/read-step.ts";
import type { Answer } from "../../../shared/scrapers/scraper.ts";
import { pipelineOf, type Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();
const ids = ["10001", "10002", "10003", "10004"];

const checks = (...routes: readonly Route[]): Pipeline => ({
  entry: "check",
  baseline: null,
  refresh: null,
  steps: [{ id: "check", scraper: "retailer_d.standard", routes }],
});

const twoSteps: Pipeline = {
  entry: "check",
  baseline: null,
  refresh: null,
  steps: [
    {
      id: "check",
      scraper: "retailer_d.standard",
      routes: [{ when: "changed", field: "price", op: "decreased", run: "again" }],
    },
    {
      id: "again",
      scraper: "retailer_d.standard",
      routes: [{ when: "ok", field: "inStock", op: "is", value: true, notify: true }],
    },
  ],
};

const priced = (amount: number): Partial<Answer> & Pick<Answer, "status"> => ({
  status: "ok",
  fields: {
    price: { amount, currency: "USD" },
    availability: { inStock: true },
    retailer_d: { state: "ADD_TO_CART", purchasable: true, regularPrice: 30 },
  },
});

describe("a preview", () => {
  let bench: Awaited<ReturnType<typeof startRunBench>>;
  let calls = 0;
  beforeEach(async () => {
    bench = await startRunBench({ tables, credits: 100 });
  });

  /** Creates a watchlist whose items were read once, at the price of 20. */
  async function readOnce(overrides: Partial<Watchlist> = {}): Promise<Watchlist> {
    const list = await bench.createList(ids, overrides);
    bench.answers.product = () => priced(20);
    await bench.run(list);
    bench.clock.advance(3_600_000);
    return list;
  }

  async function test(
    list: Watchlist,
    {
      pipeline,
      items,
      maxCredits,
      leftMs = 20_000,
    }: {
      readonly pipeline?: Pipeline;
      readonly items?: readonly string[];
      readonly maxCredits?: number;
      readonly leftMs?: number;
    } = {},
  ): Promise<Preview> {
    const watchlist = await bench.list(list);
    if (watchlist === undefined) throw new Error("The watchlist does not exist");
    calls += 1;
    const now = bench.clock.now();
    return preview(
      {
        request: {
          watchlist,
          pipeline: pipeline ?? pipelineOf(watchlist),
          items: await findPreviewItems(watchlist, items, bench.pages),
          ...(maxCredits !== undefined && { maxCredits }),
        },
        accountId: list.accountId,
        apiKeyId: "key_1",
        requestId: `req_preview_${calls}`,
        endpoint: "POST /v1/watchlists/{id}/preview",
        now,
        deadline: new Date(now.getTime() + leftMs),
        msToAnswer: () => leftMs,
      },
      { ...bench, ...bench.sources, cancels: { send: async () => {} } },
    );
  }

  const shown = (found: Preview) =>
    presentPreview(
      ids.filter((id) => found.steps.some((step) => step.ids.includes(id))),
      found,
    );

  const storedRows = async () => {
    const { client, name } = bench.table;
    const { Items = [] } = await client.send(
      new ScanCommand({ TableName: name, ConsistentRead: true }),
    );
    return Items;
  };

  it.each([
    ["changed routes", checks({ when: "changed", notify: true })],
    ["a test", checks({ when: "ok", field: "price", op: "below", value: 15, notify: true })],
    ["route states", checks({ when: "changed", min_delta_percent: 20, notify: true })],
    [
      "derived fields",
      checks({
        when: "ok",
        field: "price",
        op: "below",
        value: { field: "previousPrice" },
        notify: true,
      }),
    ],
    ["two steps", twoSteps],
  ])(
    "of the current pipeline with the feature '%s' returns the same events and charge as the next run",
    async (_name, pipeline) => {
      const list = await readOnce({ pipeline });
      bench.answers.product = (id) =>
        id === "10003" ? { status: "unavailable" } : priced(id === "10001" ? 10 : 19);
      const { run, events, credits } = await test(list);
      await bench.run(list);

      const next = await bench.lastRun(list);
      expect(run.runNumber).toBe(next.runNumber);
      expect({ credits, stats: run.stats }).toEqual({ credits: next.credits, stats: next.stats });
      const published = [...bench.published.values()]
        .map(({ body }) => JSON.parse(body) as Published)
        .filter(({ data }) => data.run_number === next.runNumber);
      expect(events.map(({ body }) => entriesIn(JSON.parse(body) as Published))).toEqual(
        published.map(entriesIn),
      );
      expect(published.flatMap(entriesIn).length).toBeGreaterThan(0);
    },
  );

  it("stores no rows and sends no events", async () => {
    const list = await readOnce({ pipeline: checks({ when: "changed", notify: true }) });
    const before = await storedRows();
    const sent = bench.published.size;
    bench.answers.product = (id) => (id === "10002" ? { status: "not_found" } : priced(5));
    const { events } = await test(list);

    expect(events.map(({ type }) => type)).toContain("watchlist.product.delisted");
    expect(await storedRows()).toEqual(before);
    expect(bench.published.size).toBe(sent);
  });

  it("returns for each item the steps, the values, the changes and the events", async () => {
    const list = await readOnce();
    bench.answers.product = (id) => priced(id === "10001" ? 10 : 20);
    const body = shown(await test(list, { pipeline: twoSteps }));

    expect(body).toMatchObject({
      run_number: 2,
      kind: "sweep",
      total: {
        items: 4,
        reads: 5,
        credits: 5,
        events: { "watchlist.product.matched": 1 },
      },
      steps: [
        { step: "check", items: 4, credits: 4 },
        { step: "again", items: 1, credits: 1 },
      ],
    });
    const changed = body.items.find(({ id }) => id === "10001");
    expect(changed).toMatchObject({
      reads: [
        {
          step: "check",
          status: "ok",
          values: { price: 10, inStock: true },
          changes: { price: { before: 20, after: 10 } },
        },
        { step: "again", status: "ok", changes: {} },
      ],
      events: [{ type: "watchlist.product.matched", entry: { id: "10001", step: "again" } }],
    });
    const others = body.items.filter(({ id }) => id !== "10001");
    expect(others.map(({ reads, events }) => [reads.length, events.length])).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
    ]);
  });

  it("charges the reads with an answer, and refunds the reads without an answer and the steps that were not reached", async () => {
    const list = await readOnce();
    const { balance } = await bench.account();
    bench.answers.product = (id) => (id === "10001" ? priced(20) : { status: "unavailable" });
    const found = await test(list, { pipeline: twoSteps });

    expect(found.reserved.map(({ items, credits }) => [items, credits])).toEqual([
      [4, 4],
      [4, 4],
    ]);
    expect(found.credits).toBe(1);
    const after = await bench.account();
    expect([found.balance, after.balance]).toEqual([balance - 1, balance - 1]);
    expect(shown(found).total.credits).toBe(1);
  });

  it("reserves credits for every item at each step that the item can reach", async () => {
    const list = await bench.createList(ids);
    const pipeline: Pipeline = { ...twoSteps, baseline: "again" };
    bench.answers.product = () => priced(20);
    const { reserved, run } = await test(list, { pipeline });

    expect(reserved.map(({ step, items }) => [step.id, items])).toEqual([["again", 4]]);
    expect(run.kind).toBe("baseline");
  });

  it.each([
    ["the balance", { granted: 3, code: "INSUFFICIENT_CREDITS" }],
    ["'max_credits'", { granted: 100, maxCredits: 3, code: "INVALID_PARAM" }],
  ])(
    "that would reserve more credits than a limit (%s) is refused, and neither reads nor charges",
    async (_name, { granted, code, ...cap }) => {
      bench = await startRunBench({ tables, credits: granted });
      const list = await bench.createList(ids);

      await expect(test(list, { pipeline: checks(), ...cap })).rejects.toMatchObject({
        status: 402,
        code,
      });
      expect(bench.reads()).toBe(0);
      expect((await bench.account()).balance).toBe(granted);
    },
  );

  it("charges nothing if the preview fails", async () => {
    const list = await bench.createList(ids);
    bench.answers.product = () => {
      throw new Error("invalid answer");
    };

    await expect(test(list)).rejects.toThrow("invalid answer");
    expect(await bench.account()).toMatchObject({ balance: 100, spent: 0 });
  });

  it("charges nothing if no time is left to respond", async () => {
    const list = await bench.createList(ids);
    bench.answers.product = () => priced(20);

    await expect(test(list, { leftMs: 0 })).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect((await bench.account()).balance).toBe(100);
  });

  it("passes the deadline of the call to the reads of every step, even after the deadline", async () => {
    const list = await readOnce();
    const deadlines: number[] = [];
    const { scraperFor } = bench.sources;
    const slow: StepSources = {
      ...bench.sources,
      scraperFor: (scraper) => ({
        async read(request) {
          deadlines.push(request.deadline.getTime());
          bench.clock.advance(30_000);
          return scraperFor(scraper).read(request);
        },
      }),
    };
    bench = { ...bench, sources: slow };
    bench.answers.product = () => priced(5);
    const endsAt = bench.clock.now().getTime() + 20_000;
    await test(list, { pipeline: twoSteps });

    expect(deadlines).toEqual([endsAt, endsAt]);
  });

  it("ignores the limits and the brake of the watchlist", async () => {
    const list = await readOnce({
      pipeline: checks({ when: "changed", notify: true }),
      maxCreditsPerRun: 4,
      dailyCreditBudget: 4,
      brake: { maxChangedPercent: 1, minItems: 1 },
    });
    bench.answers.product = () => priced(5);
    const found = await test(list);

    expect(found.credits).toBe(4);
    expect(shown(found).total.events).toEqual({ "watchlist.product.changed": 4 });
  });

  it("returns derived fields only if the history contains all earlier runs", async () => {
    const list = await readOnce();
    const pipeline = checks({
      when: "ok",
      field: "price",
      op: "below",
      value: { field: "previousPrice" },
      notify: true,
    });
    bench.answers.product = () => priced(5);
    const running = await bench.lastRun(list);
    const runs = {
      list: async () => ({ runs: [{ ...running, phase: "emitting" as const }], hasMore: false }),
    };
    const complete = await test(list, { pipeline });
    bench = { ...bench, runs: { ...bench.runs, ...runs } };
    const incomplete = await test(list, { pipeline });

    expect(shown(complete).total.events).toEqual({ "watchlist.product.matched": 4 });
    expect(shown(incomplete).total.events).toEqual({});
  });
});

interface Published {
  readonly data: {
    readonly run_number: number;
    readonly changes?: readonly object[];
    readonly products?: readonly object[];
  };
}

const entriesIn = ({ data: { changes, products } }: Published): readonly object[] =>
  changes ?? products ?? [];
