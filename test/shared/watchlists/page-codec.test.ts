import { describe, expect, it } from "vitest";
import { type Item, newItem } from "../../../shared/watchlists/item.ts";
import { toColumns } from "../../../shared/watchlists/item-columns.ts";
import {
  compress,
  decodeColumns,
  decodeItems,
  decompress,
  encodeItems,
  jsonIn,
  mayHaveId,
} from "../../../shared/watchlists/page-codec.ts";

const at = "2026-03-01T00:00:00.000Z";
const items = (count: number): Item[] =>
  Array.from({ length: count }, (_, n) => newItem(String(1_000_000 + n), at));

describe("the encoded items of a page", () => {
  it.each([0, 1, 1_000])("are restored when they are decoded (%i items)", (count) => {
    const encoded = encodeItems(items(count));
    expect(decodeItems(encoded)).toEqual(items(count));
    expect(decodeColumns(encoded)).toEqual(toColumns(items(count)));
  });

  it("may contain owed retries that an earlier release stored as step IDs", () => {
    const [item] = items(1) as [Item];
    const stored = [{ ...item, owes: ["lite"] as unknown as Item["owes"] }];
    expect(decodeItems(encodeItems(stored))).toEqual([{ ...item, owes: [{ step: "lite" }] }]);
  });

  it("may have an ID that begins with a prefix only if there is such an ID", () => {
    const encoded = encodeItems(items(20));
    expect(mayHaveId(encoded, "100001")).toBe(true);
    expect(mayHaveId(encoded, "100002")).toBe(false);
    expect(mayHaveId(encoded, "000001")).toBe(false);
  });
});

describe("a compressed value", () => {
  it("is restored even if its JSON is much longer than its bytes", () => {
    const value = { text: "a".repeat(1_000_000) };
    const bytes = compress(value);
    expect(bytes.byteLength).toBeLessThan(1_000);
    expect(decompress(bytes)).toEqual(value);
    expect(jsonIn(bytes)).toBe(JSON.stringify(value));
  });
});
