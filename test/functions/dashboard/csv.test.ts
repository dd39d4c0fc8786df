import { describe, expect, it } from "vitest";
import { csvOf } from "../../../functions/dashboard/browser/format/csv.ts";

describe("a CSV file of the dashboard", () => {
  it("quotes commas, quotes and line ends, and leaves unknown values empty", () => {
    expect(
      csvOf(
        ["a", "b"],
        [
          ['5" nail, red\nand blue', null],
          [1.5, undefined],
          [false, "x"],
        ],
      ),
    ).toBe('a,b\r\n"5"" nail, red\nand blue",\r\n1.5,\r\nfalse,x\r\n');
  });

  it.each(["=1+1", "+1", "-1", "@A1", "\tx"])(
    "has an apostrophe before the text %j, which looks like a formula",
    (text) => {
      expect(csvOf(["a"], [[text]])).toBe(`a\r\n'${text}\r\n`);
    },
  );

  it("has negative numbers without an apostrophe", () => {
    expect(csvOf(["a"], [[-3]])).toBe("a\r\n-3\r\n");
  });
});
