import { describe, expect, it } from "vitest";
import { itemColumns } from "../../../shared/exports/item-columns.ts";
import { changeColumns } from "../../../shared/exports/rows-file.ts";

/** The folders of the files, which query engines add as columns. */
const folders = ["v", "dt", "watchlist_id", "run_number"];

describe.each([
  ["changes", changeColumns.map(({ name }) => name)],
  ["items", itemColumns.map(({ name }) => name)],
])("the columns of files of %s", (_, names) => {
  it("consist of lower-case letters, digits and underscores, as Hive and Spark require", () => {
    expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
  });

  it("have different names, which are not the names of folders", () => {
    expect(new Set([...names, ...folders]).size).toBe(names.length + folders.length);
  });
});

it("a file of items has a column of its type for each field that items can store", () => {
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
