import { progressOf } from "../../tools/command-line/progress.ts";
import { startTemporaryDynamo } from "../../tools/local/temporary-dynamo.ts";
import { dailyPrices } from "./daily-prices.ts";
import { backtestJudge } from "./judge-backtests.ts";
import { type Comparison, compareWithDuckDb } from "./judge.ts";
import { type Played, playDays } from "./play-days.ts";
import { readShop } from "./price-files.ts";
import { openRecords } from "./records.ts";
import { startService } from "./service.ts";
import { daysOf, shopDays } from "./shop-days.ts";

export interface ReplayOptions {
  /** Folder of the price files. */
  readonly prices: string;
  readonly shops: readonly string[];
  /** Maximum number of products of a shop. */
  readonly productsMax: number;
  /**
   * Existing folder for the files that list what the service decided and stored. Default: a
   * temporary folder.
   */
  readonly records?: string;
}

/** The totals of a replay, and the results of its comparisons. */
export interface ReplayResult {
  /** Number of replayed products. `productsInFiles` counts all products in the files. */
  readonly products: number;
  readonly productsInFiles: number;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly played: Played;
  readonly seconds: number;
  /** Null if DuckDB does not work on this machine, so that nothing was compared. */
  readonly comparisons: readonly Comparison[] | null;
  /** The results of the comparison of the back-tests with the events that the runs sent. */
  readonly backtests: readonly Comparison[];
}

const progressEveryMs = 10_000;

/**
 * Replays price files through the run engine of the service. Compares the decisions and the history
 * of the service with results that DuckDB calculates from the same files, and the back-tests with
 * the events.
 * @param options.prices The folder of the price files.
 * @param options.records The folder for the files that the replay writes.
 * @throws Error if a file is malformed, or if a run does not read all items of its watchlist.
 */
export async function replayPrices({
  prices,
  shops,
  productsMax,
  records: recordsFolder,
}: ReplayOptions): Promise<ReplayResult> {
  const startedAt = performance.now();
  const files = shops.map((shop) => readShop(prices, shop, productsMax));
  const plans = files.map((file, position) => shopDays(file, position));
  const days = daysOf(plans);
  const dynamo = await startTemporaryDynamo();
  try {
    const source = dailyPrices();
    const service = await startService(dynamo.endpoint, source);
    const folder = recordsFolder ?? dynamo.dir;
    const records = openRecords(folder);
    for (const [n, { shop, products }] of files.entries()) {
      records.addShop({ shop, lastDay: plans[n]?.last ?? "", products });
    }
    const progress = progressOf(days.length, { everyMs: progressEveryMs });
    const backtests = backtestJudge(service);
    const replay = { service, source, records, backtests, progress };
    const played = await playDays(plans, days, replay);
    await records.close();
    const comparisons = await compareWithDuckDb(prices, folder);
    return {
      products: files.reduce((sum, { products }) => sum + products.length, 0),
      productsInFiles: files.reduce((sum, { inFile }) => sum + inFile, 0),
      firstDay: days[0] ?? "",
      lastDay: days.at(-1) ?? "",
      played,
      seconds: Math.round((performance.now() - startedAt) / 1_000),
      comparisons: comparisons ?? null,
      backtests: backtests.comparisons(),
    };
  } finally {
    await dynamo.stop();
  }
}
