import { describe, expect, it } from "vitest";
import {
  jsonProblem,
  lineAt,
  placeInJson,
} from "../../functions/dashboard/browser/pages/watchlists/json-place.ts";
import { layOut } from "../../functions/dashboard/browser/pages/watchlists/pipeline-layout.ts";
import { pipelineSentences } from "../../functions/dashboard/browser/pages/watchlists/pipeline-words.ts";
import { idReader, readIds } from "../../functions/dashboard/browser/pages/watchlists/read-ids.ts";
import { presentScrapers } from "../../shared/pipelines/present-scrapers.ts";
import { presentPlatforms } from "../../shared/platforms/present-platform.ts";

const patternOf = (platform: string): string =>
  presentPlatforms().data.find(({ id }) => id === platform)?.id_pattern ?? "";
const read = (text: string, column?: number) =>
  readIds(text, idReader(patternOf("retailer_d")), column);

describe("ids in what was pasted or chosen as a file", () => {
  it.each([
    "12345\n23456",
    "12345,23456",
    " 12345 ; 23456\r\n",
    "12345\t23456\n\n",
    "12345, 23456,",
  ])("are found with newlines, commas and blanks between them: %j", (text) => {
    expect(read(text)).toEqual({
      ids: ["12345", "23456"],
      duplicates: 0,
      malformed: [],
      table: undefined,
    });
  });

  it("come once each, and what is no id with its line", () => {
    expect(read("12345,x\n12345\n1")).toEqual({
      ids: ["12345"],
      duplicates: 1,
      malformed: [
        { text: "x", line: 1 },
        { text: "1", line: 3 },
      ],
      table: undefined,
    });
  });

  it("are taken from the column of a CSV that has most of them, or from another one", () => {
    const csv = 'name,sku,old\r\n"Kettle, ""big""",12345,55555\r\nCup,23456,\r\nPot,oops,\r\n';
    const { ids, malformed, table } = read(csv);
    expect(ids).toEqual(["12345", "23456"]);
    expect(malformed).toEqual([{ text: "oops", line: 4 }]);
    expect(table).toEqual({ header: ["name", "sku", "old"], column: 1, rowCount: 3 });
    expect(read(csv, 2).ids).toEqual(["55555"]);
  });

  it("are found below the head of a single column, and in other spellings of a CSV", () => {
    expect(read("sku\n12345\n23456").ids).toEqual(["12345", "23456"]);
    expect(read("sku;name\n12345;a\n23456;b").ids).toEqual(["12345", "23456"]);
    expect(read("sku\tname\n12345\ta").ids).toEqual(["12345"]);
  });

  it("are given as the service gives them", () => {
    const from = (platform: string, text: string) =>
      readIds(text, idReader(patternOf(platform))).ids;
    expect(from("retailer_a", "b0sandbox0 B0SANDBOX0")).toEqual(["B0SANDBOX0"]);
    expect(from("retailer_c", "A-12345678")).toEqual(["12345678"]);
  });
});

describe("a place in JSON", () => {
  const text = JSON.stringify(
    { entry: "a", steps: [{ id: "a,}", routes: [{ when: "ok", run: "b" }] }, { id: "b" }] },
    null,
    2,
  );
  const at = (path: string): string => {
    const { start, end } = placeInJson(text, path);
    return text.slice(start, end);
  };

  it("is that of the value a path leads to", () => {
    expect(at("entry")).toBe('"a"');
    expect(at("steps[0].routes[0].run")).toBe('"b"');
    expect(JSON.parse(at("steps[1]"))).toEqual({ id: "b" });
    expect(lineAt(text, placeInJson(text, "steps[0].routes[0].run").start)).toBe(9);
  });

  it("is that of what is around a value that is missing", () => {
    expect(JSON.parse(at("steps[1].scraper"))).toEqual({ id: "b" });
    expect(at("refresh")).toBe(text);
    expect(at("")).toBe(text);
  });

  it("is told for a text that is no JSON", () => {
    expect(jsonProblem(text)).toBeUndefined();
    const problem = jsonProblem('{\n  "a": 1,\n  b\n}');
    expect(problem?.message).toMatch(/^This is no JSON: [^\n]+\.$/);
    expect(jsonProblem("")?.message).toMatch(/^This is no JSON/);
  });
});

describe("a drawn pipeline", () => {
  const templates = ["retailer_a", "retailer_b", "retailer_c", "retailer_d"].flatMap(
    (platform) =>
      presentScrapers({ platform: platform as "retailer_a", marketplace: "us" }).templates,
  );

  it.each(templates)(
    "$id: every step is a box of its own, every arrow leads to the right",
    (one) => {
      const { nodes, edges, width, height } = layOut(one.pipeline);
      expect(nodes.map(({ id }) => id)).toEqual(one.pipeline.steps.map(({ id }) => id));
      expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(nodes.length);
      expect(nodes.every(({ x, y }) => x < width && y < height)).toBe(true);
      expect(edges.every(({ from, to }) => from.x < to.x)).toBe(true);
    },
  );

  it("has where runs start, and its routes, in words", () => {
    const [whole] = presentScrapers({ platform: "retailer_a", marketplace: "us" }).templates;
    expect(whole && pipelineSentences(whole.pipeline)).toEqual([
      "pulse: reads with retailer_a.pulse. Starts here: every run. Items with “changed” go on to " +
        "lite. Items with “buyboxAboveLowest is true” go on to lite.",
      "lite: reads with retailer_a.lite. Starts here: every 8th run. Items with “changed” are reported.",
      "full: reads with retailer_a.full. Starts here: new items.",
    ]);
  });
});
