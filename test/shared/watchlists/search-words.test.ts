import { describe, expect, it } from "vitest";
import { searchedId, wordsOf } from "../../../shared/watchlists/search-words.ts";

describe("a search of items", () => {
  it("drops the letter prefix of the item numbers of a store, in upper or lower case", () => {
    expect(searchedId(" A-12345 ")).toBe("12345");
    expect(searchedId("a-one")).toBe("a-one");
  });

  it("has words in lower case, each without a letter prefix, and no empty word", () => {
    expect(wordsOf("  Kettle\tA-12 BLUE ")).toEqual(["kettle", "12", "blue"]);
    expect(wordsOf("  ")).toEqual([]);
  });
});
