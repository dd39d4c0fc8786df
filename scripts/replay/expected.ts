import {
  average30d,
  changedCount7d,
  lowest90d,
  newLows,
  previousPrice,
} from "./expected-derived.ts";
import { settings } from "./settings.ts";
import type { RuleName } from "./watchlists.ts";

/**
 * The SQL of DuckDB that calculates from the price files what the service must decide and store. It
 * shares no code with the service. It compares segments, which are time spans of constant prices,
 * instead of daily reads.
 */

/**
 * Returns SQL statements that create the tables `points`, `known` and `segments` from the price
 * files. The statements need a table `products`, and the new tables contain only its products.
 * @param files The price files, as an SQL list of paths.
 */
export const fileTables = (files: string): readonly string[] => [
  `CREATE TABLE points AS
    WITH entries AS (
      SELECT parse_filename(filename, true) AS file, id AS product, unnest(prices) AS entry,
        generate_subscripts(prices, 1) AS n
      FROM read_json(${files}, format = 'newline_delimited', filename = true,
        columns = {id: 'VARCHAR', prices: 'JSON[][]'}))
    SELECT shop, product, (entry[1] ->> '$')::DATE AS day,
      -- A product can have two prices on a day; the last one counts. A price of 0 is unknown.
      nullif(arg_max_null((entry[2] ->> '$')::DOUBLE, n), 0) AS price
    FROM entries JOIN products USING (product)
    WHERE replace(file, '.jsonl', '') = shop
    GROUP BY shop, product, day`,
  // A price within half a cent of the last known price is not a change: the known price stays.
  `CREATE TABLE known AS
    WITH RECURSIVE numbered AS (
      SELECT *, row_number() OVER (PARTITION BY shop, product ORDER BY day) AS n FROM points),
    known AS (
      SELECT shop, product, n, day, price, true AS is_new FROM numbered WHERE n = 1
      UNION ALL
      SELECT next.shop, next.product, next.n, next.day,
        CASE WHEN ${isEqual("next.price", "known.price")} THEN known.price ELSE next.price END,
        NOT coalesce(${isEqual("next.price", "known.price")},
          next.price IS NOT DISTINCT FROM known.price)
      FROM known JOIN numbered AS next
        ON next.shop = known.shop AND next.product = known.product AND next.n = known.n + 1)
    SELECT shop, product, day, price FROM known WHERE is_new`,
  // A segment is a time span in which the price of a product is constant.
  `CREATE TABLE segments AS
    SELECT shop, product, row_number() OVER prices AS n, day AS first_day,
      coalesce(lead(day) OVER prices - 1, last_day) AS last_day, price
    FROM known JOIN products USING (shop, product)
    WINDOW prices AS (PARTITION BY shop, product ORDER BY day)`,
];

/**
 * Returns an SQL expression: true if the prices `one` and `other` differ by at most half a cent;
 * null if one of them is null.
 */
function isEqual(one: string, other: string): string {
  return `abs(${one} - ${other}) <= 0.005 + 1e-9`;
}

/**
 * Returns an SQL condition that is true if two prices differ. Null differs from every price, but
 * not from null.
 * @param one An SQL expression.
 * @param other Another SQL expression.
 */
export const differs = (one: string, other: string): string =>
  `coalesce(NOT ${isEqual(one, other)}, ${one} IS DISTINCT FROM ${other})`;

/** SQL condition: true if `price` differs from `from` by at least `percent` percent of `from`. */
const isPercent = (price: string, from: string, percent: number): string =>
  `abs(${price} - ${from}) + 1e-9 * greatest(1, abs(${price}), abs(${from}))
    >= abs(${from}) * ${percent} / 100 AND NOT ${isEqual(price, from)}`;

/** SQL for the expected history: the first price of each product, and each changed price. */
export const expectedHistory = `
  SELECT shop, product, strftime(first_day, '%Y-%m-%dT06:00:00.000Z') AS read_at, price FROM segments`;

interface Walk {
  /** SQL columns: the state after the first segment, which is a time span of constant price. */
  readonly first: string;
  /**
   * SQL columns for the segment `next`: the day of a decision (or NULL), the reference value of the
   * decision, and the state after the segment. `was` is the row of the segment before.
   */
  readonly next: string;
}

/**
 * Returns a query for the decisions about each product: the day, the reference value and the new
 * price. The query reads the segments of a product in order. It calculates the state after each
 * segment from the state before the segment.
 */
const walk = ({ first, next }: Walk): string => `
  WITH RECURSIVE walked AS (
    SELECT shop, product, n, price, NULL::DATE AS decided, NULL::DOUBLE AS ref_before, ${first}
    FROM segments WHERE n = 1
    UNION ALL
    SELECT next.shop, next.product, next.n, next.price, ${next}
    FROM walked AS was JOIN segments AS next
      ON next.shop = was.shop AND next.product = was.product AND next.n = was.n + 1)
  SELECT shop, product, decided AS day, ref_before AS before, price AS after
  FROM walked WHERE decided IS NOT NULL`;

/**
 * The reference value is the price notified last; at first, the first price. Null never matches.
 */
const isPercentMatch = isPercent("next.price", "was.ref", settings.percent);
const percent = walk({
  first: "price AS ref",
  next: `CASE WHEN ${isPercentMatch} THEN next.first_day END, was.ref,
    CASE WHEN was.ref IS NULL OR ${isPercentMatch} THEN next.price ELSE was.ref END`,
});

/** The reference value is the highest price since the last notification. */
const isDrop = `next.price < was.ref
  AND ${isPercent("next.price", "was.ref", settings.dropPercent)}`;
const drop = walk({
  first: "price AS ref",
  next: `CASE WHEN ${isDrop} THEN next.first_day END, was.ref,
    CASE WHEN was.ref IS NULL OR ${isDrop}
        OR (next.price > was.ref AND NOT ${isEqual("next.price", "was.ref")})
      THEN next.price ELSE was.ref END`,
});

/** Number of reads of the segment `next`: one a day. */
const reads = "(next.last_day - next.first_day + 1)";
/**
 * SQL for the number of successive reads, before the segment `next`, whose values are on the same
 * side of the reference value.
 */
const seenBefore = `CASE
  WHEN ${differs("was.price", "was.ref")}
    AND sign(was.price - was.ref) = sign(next.price - was.ref) THEN was.seen ELSE 0 END`;
const isConfirmed = `${differs("next.price", "was.ref")}
  AND ${seenBefore} + ${reads} >= ${settings.confirm}`;
const confirm = walk({
  first: "price AS ref, 0::BIGINT AS seen",
  next: `
    CASE WHEN ${isConfirmed}
      THEN next.first_day + (${settings.confirm} - 1 - ${seenBefore})::INTEGER END,
    was.ref,
    CASE WHEN ${isConfirmed} THEN next.price ELSE was.ref END,
    CASE WHEN ${isConfirmed} OR NOT ${differs("next.price", "was.ref")} THEN 0
      ELSE ${seenBefore} + ${reads} END`,
});

/**
 * SQL: first day on which a change can be reported, which is not before the end of the cooldown.
 */
const afterCooldown = "greatest(next.first_day, was.until)";
const isReported = `${differs("next.price", "was.ref")} AND ${afterCooldown} <= next.last_day`;
const cooldown = walk({
  first: "price AS ref, first_day AS until",
  next: `
    CASE WHEN ${isReported} THEN ${afterCooldown} END,
    was.ref,
    CASE WHEN ${isReported} THEN next.price ELSE was.ref END,
    CASE WHEN ${isReported} THEN ${afterCooldown} + ${settings.cooldownDays} ELSE was.until END`,
});

const withoutChange = "NULL::DOUBLE AS before, NULL::DOUBLE AS after";

/** SQL for the decisions of each rule, with the columns shop, product, day, before and after. */
export const expectedDecisions: Readonly<Record<RuleName, string>> = {
  changed: `
    SELECT shop, product, first_day AS day, lag(price) OVER prices AS before, price AS after
    FROM segments
    WINDOW prices AS (PARTITION BY shop, product ORDER BY n)
    QUALIFY n > 1`,
  percent,
  drop,
  confirm,
  cooldown,
  // A day without a price does not end the condition.
  once: `
    SELECT shop, product, day, ${withoutChange} FROM points
    WHERE price IS NOT NULL
    WINDOW prices AS (PARTITION BY shop, product ORDER BY day)
    QUALIFY price < ${settings.below} AND NOT coalesce(lag(price < ${settings.below}) OVER prices, false)`,
  // Does not count the first read of a segment, because that read found the change.
  stable: `
    SELECT shop, product, first_day + ${settings.stableReads} AS day, ${withoutChange} FROM segments
    WHERE first_day + ${settings.stableReads} <= last_day`,
  lowest30d: newLows,
  lowest90d,
  average30d,
  changedCount7d,
  previousPrice,
};
