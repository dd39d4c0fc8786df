import { differs } from "./expected.ts";
import { settings } from "./settings.ts";

const { brake, wrongTimes } = settings;

/**
 * The SQL for the decision of the brake about each run, with the columns shop, list, day, factor,
 * changed, read and is_held.
 * - On the first day of each month, an additional run before the regular run reads all prices
 *   multiplied by 100.
 * - The brake never holds the first run of a watchlist.
 * - `read` counts all items if the run is not held. If the run is held, `read` counts only the
 *   items with an earlier price.
 */
export const expectedBrakes = `
  WITH added AS (
    SELECT shop, first_day AS day, count(*) AS n FROM segments WHERE n = 1 GROUP BY ALL),
  shops AS (SELECT shop, min(day) AS first_day FROM added GROUP BY shop),
  shop_days AS (
    SELECT shop, first_day, unnest(generate_series(
      first_day::TIMESTAMP, last_day::TIMESTAMP, INTERVAL 1 DAY))::DATE AS day
    FROM shops JOIN (SELECT DISTINCT shop, last_day FROM products) USING (shop)),
  reads AS (
    SELECT shop, first_day, day,
      (sum(coalesce(n, 0)) OVER (PARTITION BY shop ORDER BY day))::BIGINT AS read,
      (read - coalesce(n, 0))::BIGINT AS compared
    FROM shop_days LEFT JOIN added USING (shop, day)),
  real_days AS (
    SELECT reads.shop, reads.first_day, day, 1 AS factor, count(segments.n) AS changed, read, compared
    FROM reads LEFT JOIN segments
      ON segments.shop = reads.shop AND segments.first_day = day AND segments.n > 1
    GROUP BY ALL),
  wrong_prices AS (
    SELECT reads.shop, reads.first_day, reads.day, compared, segments.product,
      segments.price AS before
    FROM reads JOIN segments ON segments.shop = reads.shop
      AND segments.first_day < reads.day AND segments.last_day >= reads.day - 1
    WHERE day(reads.day) = 1 AND reads.day > reads.first_day
      AND compared >= ${brake.minItems}),
  wrong_days AS (
    SELECT wrong_prices.shop, wrong_prices.first_day, wrong_prices.day, ${wrongTimes} AS factor,
      count(*) FILTER (${differs(`points.price * ${wrongTimes}`, "before")}) AS changed, compared AS read,
      compared
    FROM wrong_prices ASOF JOIN points ON points.shop = wrong_prices.shop
      AND points.product = wrong_prices.product AND wrong_prices.day >= points.day
    GROUP BY ALL),
  runs AS (SELECT * FROM real_days UNION ALL SELECT * FROM wrong_days)
  SELECT shop, list, day, factor, changed, read, day > first_day AND compared >= ${brake.minItems}
    AND changed * 100 > ${brake.maxChangedPercent} * compared AS is_held
  FROM runs CROSS JOIN (VALUES ('changes'), ('limited')) AS lists(list)`;
