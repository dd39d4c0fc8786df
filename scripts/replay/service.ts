import * as v from "valibot";
import { backtest, type RecordRun } from "../../shared/backtest/backtest.ts";
import { createAccount } from "../../shared/accounts/create-account.ts";
import { assert } from "../../shared/base/assert.ts";
import type { RunEventStream, SerializedEvent } from "../../shared/events/event.ts";
import { itemHistory, type ShownPoint } from "../../shared/history/item-history.ts";
import type { HistorySpan } from "../../shared/history/history.ts";
import { parsePipeline } from "../../shared/pipelines/parse.ts";
import type { Scraper } from "../../shared/scrapers/scraper.ts";
import type { Run } from "../../shared/runs/run.ts";
import { readStep, type StepReadRequest } from "../../shared/runs/read-step.ts";
import { changeItems } from "../../shared/watchlists/change-items.ts";
import { createWatchlist } from "../../shared/watchlists/create-watchlist.ts";
import { itemChangeBody, parseItemChange } from "../../shared/watchlists/items-request.ts";
import { newWatchlist } from "../../shared/watchlists/request.ts";
import {
  discardRuns,
  type OpenWatchlist,
  type PlayedRun,
  playDueRuns,
  playManualRuns,
} from "./due-runs.ts";
import { createStores } from "./stores.ts";
import { type WatchlistName, pipelineBody } from "./watchlists.ts";
import { waitingMessages } from "./waiting-messages.ts";

/**
 * The run engine of the service with its stores, on a DynamoDB engine. The clock, the queues and
 * the source are simulated.
 */
export interface Service {
  /** Sets the clock. */
  setTime(at: Date): void;
  /** Creates a watchlist as `POST /v1/watchlists` does. Its first run is due immediately. */
  createWatchlist(body: object): Promise<OpenWatchlist>;
  /** Adds items as `POST /v1/watchlists/{id}/items` does. */
  addItems(list: OpenWatchlist, ids: readonly string[]): Promise<void>;
  /**
   * Plays one due run of each watchlist, all at the same time, until all queues are empty. Returns
   * the runs in the order of the watchlists.
   */
  run(lists: readonly OpenWatchlist[]): Promise<readonly PlayedRun[]>;
  /** Plays a manual run of each watchlist, as `POST /v1/watchlists/{id}/run` does. */
  runNow(lists: readonly OpenWatchlist[]): Promise<readonly PlayedRun[]>;
  /** Discards held runs, as `POST /v1/watchlists/{id}/runs/{run_number}/discard` does. */
  discard(runs: readonly Run[], reason: string): Promise<void>;
  /** Reads the history points of an item in a span, oldest first, as the API does. */
  history(list: OpenWatchlist, itemId: string, span: HistorySpan): Promise<readonly ShownPoint[]>;
  /**
   * Back-tests the runs of a watchlist from `since` on, as `POST /v1/watchlists/{id}/backtest`
   * does, without bounds. `record` receives each repeated run.
   */
  backtest(
    list: OpenWatchlist,
    wanted: { readonly pipelineOf: WatchlistName; readonly since: string },
    record: RecordRun,
  ): Promise<void>;
}

const noBounds = { readsMax: Infinity, pointsMax: Infinity, tracedItemsMax: Infinity };

/** Credits of the account: more than a replay of all files charges. */
const signupCredits = 1_000_000_000;
/** Maximum number of points of a page of the history. */
const pointsMax = 1_000;

const noOffers = (): never => {
  throw new Error(
    "A pipeline of the replay must read only products, but it read offers. Remove its offer steps.",
  );
};

/**
 * Creates the tables in a DynamoDB engine and an account, and returns the run engine. The run
 * engine throws an Error if the service logs a warning or reads offers.
 * @param endpoint The address of the engine.
 * @param source Returns the data of every read.
 */
export async function startService(endpoint: string, source: Scraper): Promise<Service> {
  let now = new Date(0);
  const stores = await createStores(endpoint, { now: () => now, sleep: async () => {} });
  const queues = waitingMessages();
  const published = new Map<string, readonly SerializedEvent[]>();
  const ports = {
    ...stores,
    queue: queues.port,
    schedules: { put: async () => {}, remove: async () => {} },
    publisher: {
      async publish({ watchlistId, events }: RunEventStream) {
        const earlier = published.get(watchlistId) ?? [];
        published.set(watchlistId, [...earlier, ...(await Array.fromAsync(events))]);
      },
    },
    read: (request: StepReadRequest) =>
      readStep(request, {
        scraperFor: () => source,
        offerScraperFor: noOffers,
        offerCheckerFor: noOffers,
      }),
    warn: (message: string) => {
      throw new Error(message);
    },
  };
  const engine = { ports, take: queues.take, published };
  const owner = { name: "Replay", email: "replay@local.invalid", signupCredits };
  const { id: accountId } = await createAccount(owner, stores);
  return {
    setTime: (at) => {
      now = at;
    },
    async createWatchlist(body) {
      const wanted = v.parse(newWatchlist, body);
      const request = { accountId, wanted, idempotencyKey: undefined, now, baseUrl: "" };
      const answer = await createWatchlist(request, ports);
      const { id } = v.parse(v.object({ id: v.string() }), JSON.parse(answer.body));
      return { accountId, watchlistId: id };
    },
    async addItems({ watchlistId }, ids) {
      const watchlist = await ports.watchlists.get(accountId, watchlistId);
      assert(
        watchlist !== undefined,
        "the watchlist must exist, because the replay deletes no watchlist",
      );
      const body = v.parse(itemChangeBody, { add: [...ids] });
      const change = parseItemChange(watchlist.platform, body);
      await changeItems({ watchlist, change, now }, ports);
    },
    run: (lists) => playDueRuns(lists, engine),
    runNow: (lists) => playManualRuns(lists, engine),
    discard: (runs, reason) => discardRuns(runs, reason, engine),
    history: ({ watchlistId }, itemId, span) => readHistory({ watchlistId, itemId, span }, ports),
    async backtest({ watchlistId }, { pipelineOf, since }, record) {
      const watchlist = await ports.watchlists.get(accountId, watchlistId);
      assert(
        watchlist !== undefined,
        "the watchlist must exist, because the replay deletes no watchlist",
      );
      const pipeline = parsePipeline(pipelineBody(pipelineOf), watchlist);
      const span = { since, until: now.toISOString() };
      const tested = await backtest({ watchlist, pipeline, span, bounds: noBounds }, record, ports);
      assert(tested.outcome === "tested", "a back-test without bounds must not be too large");
    },
  };
}

async function readHistory(
  item: { readonly watchlistId: string; readonly itemId: string; readonly span: HistorySpan },
  { history }: Pick<Awaited<ReturnType<typeof createStores>>, "history">,
): Promise<readonly ShownPoint[]> {
  const page = await itemHistory(
    {
      ...item,
      keptSince: undefined,
      order: "oldest_first",
      limit: pointsMax,
      fields: ["price"],
      startingAfter: undefined,
    },
    history,
  );
  assert(!page.hasMore, "the points of an item must fit on one page");
  return page.points;
}
