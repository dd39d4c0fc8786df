import { describe, expect, it } from "vitest";
import { itemColumns } from "../../../shared/exports/item-columns.ts";
import { changeColumns } from "../../../shared/exports/rows-file.ts";

/** The folders of the files, which query engines add as columns. */
const folders = ["v", "dt", "watchlist_id", "run_number"];

describe.each([
  ["changes", changeColumns.map(({ name }) => name)],
  ["items", itemColumns.map(({ name }) => name)],
])("the columns of Parquet files of %s", (_, names) => {
  it("consist of lower-case letters, digits and underscores, as Hive and Spark require", () => {
    expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
  });

  it("have unique names that differ from the folder names in the key", () => {
    expect(new Set([...names, ...folders]).size).toBe(names.length + folders.length);
  });
});

it("a Parquet file of items has a column of the field's type for each field that an item can store", () => {
  const typeOf = Object.fromEntries(itemColumns.map(({ name, type }) => [name, type]));
  expect(typeOf).toMatchObject({
    price: "DOUBLE",
    new_min_price: "DOUBLE",
    is_fba: "BOOLEAN",
    delivery_date: "STRING",
    state: "STRING",
  });
  expect(typeOf).not.toHaveProperty("lowest30d");
});
