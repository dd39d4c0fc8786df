import { settings } from "./settings.ts";

/**
 * The SQL that calculates derived fields. A window begins at 00:00 UTC of a day, and the watchlists
 * run at 06:00. A window of 30 days therefore contains every price that was current on one of the
 * last 29 days. It also contains a price that another price replaced in the run 30 days before the
 * read.
 */

/** Products with the day of their first price. */
const firstDays = `SELECT shop, product, min(first_day) AS first_day FROM segments GROUP BY ALL`;

/**
 * Returns an SQL condition: true if the price of a segment held at some time in the window of
 * `days` days before the read on `day`.
 */
const isInWindow = (segment: string, day: string, days: number): string =>
  `${segment}.price IS NOT NULL AND ${segment}.first_day < ${day}
    AND ${segment}.last_day + 1 >= ${day} - ${days}`;

/**
 * The query for the reads with a price below the lowest price of the 30 days before. Only two kinds
 * of prices can be lower: the first price of a segment, and a price at most half a cent below the
 * last known price. Such a small change does not begin a segment.
 */
export const newLows = `
  WITH spans AS (
    SELECT shop, product, day AS from_day, price,
      coalesce(lead(day) OVER (PARTITION BY shop, product ORDER BY day) - 1, last_day) AS to_day
    FROM points JOIN products USING (shop, product)),
  near AS (
    SELECT spans.shop, spans.product, spans.price, unnest(generate_series(
      greatest(from_day, first_day)::TIMESTAMP, least(to_day, last_day)::TIMESTAMP,
      INTERVAL 1 DAY))::DATE AS day
    FROM spans JOIN segments ON segments.shop = spans.shop AND segments.product = spans.product
      AND from_day <= last_day AND to_day >= first_day
    WHERE spans.price <> segments.price),
  candidates AS (
    SELECT shop, product, first_day AS day, price FROM segments WHERE price IS NOT NULL
    UNION SELECT shop, product, day, price FROM near)
  SELECT candidates.shop, candidates.product, candidates.day, NULL::DOUBLE AS before,
    min(earlier.price) AS after
  FROM candidates
  JOIN (${firstDays}) AS firsts USING (shop, product)
  JOIN segments AS earlier
    ON earlier.shop = candidates.shop AND earlier.product = candidates.product
    AND ${isInWindow("earlier", "candidates.day", 30)}
  WHERE firsts.first_day <= candidates.day - 30
  GROUP BY candidates.shop, candidates.product, candidates.day, candidates.price
  HAVING candidates.price < min(earlier.price)`;

/**
 * Returns the query for the days on which a route with a cooldown reports a condition that holds on
 * all days of `spans`.
 * @param spans query with the columns shop, product, from_day and to_day
 */
const sampledDays = (spans: string): string => `
  WITH RECURSIVE spans AS (SELECT * FROM (${spans}) WHERE from_day <= to_day),
  samples AS (
    SELECT shop, product, min(from_day) AS day FROM spans GROUP BY shop, product
    UNION ALL
    SELECT shop, product, min(greatest(from_day, samples.day + ${settings.sampleDays})) AS day
    FROM samples JOIN spans USING (shop, product)
    WHERE to_day >= samples.day + ${settings.sampleDays}
    GROUP BY shop, product)
  SELECT shop, product, day FROM samples`;

/**
 * Query for the sampled days: the first price is at least 90 days old, and the window of 30 days
 * contains a price.
 */
const windowSamples = sampledDays(`
  SELECT shop, product, greatest(segments.first_day + 1, firsts.first_day + 90) AS from_day,
    least(segments.last_day + 31, products.last_day) AS to_day
  FROM segments
  JOIN (${firstDays}) AS firsts USING (shop, product)
  JOIN products USING (shop, product)
  WHERE price IS NOT NULL`);

const valueOnSamples = (value: string, days: number): string => `
  SELECT samples.shop, samples.product, samples.day, NULL::DOUBLE AS before, ${value} AS after
  FROM (${windowSamples}) AS samples
  JOIN segments ON segments.shop = samples.shop AND segments.product = samples.product
    AND ${isInWindow("segments", "samples.day", days)}
  GROUP BY samples.shop, samples.product, samples.day`;

/**
 * An SQL expression: for how many hours, within the 30 days before a sampled read, the price of a
 * segment held.
 */
const hours = `date_diff('hour',
  greatest(segments.first_day + INTERVAL 6 HOUR, (samples.day - 30)::TIMESTAMP),
  least(segments.last_day + 1, samples.day) + INTERVAL 6 HOUR)`;

/** The values of the rule `lowest90d`: the lowest price of the last 90 days. */
export const lowest90d = valueOnSamples("min(price)", 90);
/** The values of the rule `average30d`: the average price of the last 30 days, weighted by time. */
export const average30d = valueOnSamples(`round(sum(price * ${hours}) / sum(${hours}), 4)`, 30);
/**
 * The values of the rule `changedCount7d`: the number of price changes in the 7 days before the
 * read, including a change that the read shows.
 */
export const changedCount7d = `
  SELECT samples.shop, samples.product, samples.day, NULL::DOUBLE AS before,
    count(segments.n)::DOUBLE AS after
  FROM (${windowSamples}) AS samples
  LEFT JOIN segments ON segments.shop = samples.shop AND segments.product = samples.product
    AND segments.n > 1 AND segments.first_day BETWEEN samples.day - 7 AND samples.day
  GROUP BY samples.shop, samples.product, samples.day`;

/**
 * Query for the last earlier price that differs from the price of a segment, for each segment (a
 * time span of constant price).
 */
const previousPrices = `
  SELECT one.shop, one.product, one.first_day, one.last_day,
    arg_max(earlier.price, earlier.n) AS previous
  FROM segments AS one JOIN segments AS earlier
    ON earlier.shop = one.shop AND earlier.product = one.product AND earlier.n < one.n
    AND earlier.price IS NOT NULL
    AND coalesce(abs(earlier.price - one.price) > 0.005 + 1e-9, true)
  GROUP BY one.shop, one.product, one.first_day, one.last_day`;

/**
 * Query for the expected decisions of the rule `previousPrice`. `after` is the last earlier price
 * that differs from the price of the day.
 */
export const previousPrice = `
  SELECT samples.shop, samples.product, samples.day, NULL::DOUBLE AS before, previous AS after
  FROM (${sampledDays(`
    SELECT shop, product, first_day AS from_day, last_day AS to_day FROM (${previousPrices})`)}
  ) AS samples
  JOIN (${previousPrices}) AS prices ON prices.shop = samples.shop
    AND prices.product = samples.product
    AND samples.day BETWEEN prices.first_day AND prices.last_day`;
