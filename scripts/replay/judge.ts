import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { assert } from "../../shared/base/assert.ts";
import { expectedBrakes } from "./expected-brakes.ts";
import { expectedDecisions, expectedHistory, fileTables } from "./expected.ts";
import { fileEnding } from "./price-files.ts";
import { recordFiles } from "./records.ts";

/** Result of the comparison of the service with DuckDB. */
export interface Comparison {
  readonly name: string;
  /** The number of rows that the service has and DuckDB calculates. */
  readonly equal: number;
  /** Number of rows that only DuckDB calculates. */
  readonly missing: number;
  /** The number of rows that only the service has. */
  readonly unexpected: number;
  /** Up to five of the differences, as JSON. */
  readonly examples: readonly string[];
}

interface Compared {
  readonly name: string;
  readonly expected: string;
  readonly found: string;
}

const examplesMax = 5;

/** Returns the queries whose results `compareWithDuckDb` compares. */
const comparisons = (records: string): readonly Compared[] => [
  {
    name: "history",
    expected: expectedHistory,
    found: `SELECT * FROM ${jsonLines(records, recordFiles.points, {
      shop: "VARCHAR",
      product: "VARCHAR",
      read_at: "VARCHAR",
      price: "DOUBLE",
    })}`,
  },
  {
    name: "brake",
    expected: expectedBrakes,
    found: `SELECT * FROM ${jsonLines(records, recordFiles.runs, {
      shop: "VARCHAR",
      list: "VARCHAR",
      day: "DATE",
      factor: "INTEGER",
      changed: "BIGINT",
      read: "BIGINT",
      is_held: "BOOLEAN",
    })}`,
  },
  ...Object.entries(expectedDecisions).map(([rule, expected]) => ({
    name: rule,
    expected,
    found: `SELECT shop, product, day, before, after FROM ${jsonLines(
      records,
      recordFiles.decisions,
      {
        shop: "VARCHAR",
        product: "VARCHAR",
        day: "DATE",
        rule: "VARCHAR",
        before: "DOUBLE",
        after: "DOUBLE",
      },
    )} WHERE rule = '${rule}'`,
  })),
];

const jsonLines = (
  folder: string,
  name: string,
  columns: Readonly<Record<string, string>>,
): string =>
  `read_json(${quoteForSql(join(folder, name))}, format = 'newline_delimited', columns = {${Object.entries(
    columns,
  )
    .map(([column, type]) => `${column}: '${type}'`)
    .join(", ")}})`;

const quoteForSql = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * Compares what the service decided and stored with what DuckDB calculates from the same files.
 * @param prices The folder of the price files.
 * @param records The folder of the files that the replay wrote.
 * @returns One comparison for each rule and one for the history. Undefined if the package of DuckDB
 * does not work on this machine.
 */
export async function compareWithDuckDb(
  prices: string,
  records: string,
): Promise<readonly Comparison[] | undefined> {
  const connection = await connect();
  if (connection === undefined) return undefined;
  try {
    const columns = { shop: "VARCHAR", product: "VARCHAR", last_day: "DATE" };
    const products = jsonLines(records, recordFiles.products, columns);
    await connection.run(`CREATE TABLE products AS SELECT * FROM ${products}`);
    const files = quoteForSql(join(prices, `*${fileEnding}`));
    for (const statement of fileTables(files)) await connection.run(statement);
    const results: Comparison[] = [];
    for (const compared of comparisons(records)) results.push(await compare(connection, compared));
    return results;
  } finally {
    connection.closeSync();
  }
}

async function connect(): Promise<DuckDBConnection | undefined> {
  try {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    return await (await DuckDBInstance.create(":memory:")).connect();
  } catch {
    return undefined;
  }
}

async function compare(
  connection: DuckDBConnection,
  { name, expected, found }: Compared,
): Promise<Comparison> {
  await connection.run(`CREATE OR REPLACE TABLE expected AS ${expected}`);
  await connection.run(`CREATE OR REPLACE TABLE found AS ${found}`);
  const rows = async (query: string) => (await connection.runAndReadAll(query)).getRowObjectsJson();
  const count = async (query: string): Promise<number> => {
    const [row] = await rows(`SELECT count(*)::INTEGER AS n FROM (${query})`);
    const n = row?.["n"];
    assert(typeof n === "number", "a count must be a number");
    return n;
  };
  const missing = "SELECT * FROM expected EXCEPT ALL SELECT * FROM found";
  const unexpected = "SELECT * FROM found EXCEPT ALL SELECT * FROM expected";
  const examples = await rows(
    `SELECT * FROM (SELECT 'missing' AS difference, * FROM (${missing})
      UNION ALL SELECT 'unexpected', * FROM (${unexpected}))
    ORDER BY 2, 3, 4 LIMIT ${examplesMax}`,
  );
  return {
    name,
    equal: (await count("SELECT * FROM expected")) - (await count(missing)),
    missing: await count(missing),
    unexpected: await count(unexpected),
    examples: examples.map((row) => JSON.stringify(row)),
  };
}
