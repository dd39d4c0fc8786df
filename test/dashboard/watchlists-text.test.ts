import { describe, expect, it } from "vitest";
import {
  jsonProblem,
  lineAt,
  placeInJson,
} from "../../functions/dashboard/browser/pages/watchlists/json-place.ts";
import { settingFields } from "../../functions/dashboard/browser/pages/watchlists/watchlist-settings.ts";
import {
  newPipeline,
  type PipelineDraft,
} from "../../functions/dashboard/browser/pages/watchlists/pipeline-draft.ts";
import { layOut } from "../../functions/dashboard/browser/pages/watchlists/pipeline-layout.ts";
import { pipelineSentences } from "../../functions/dashboard/browser/pages/watchlists/pipeline-words.ts";
import { outcomeSentence } from "../../functions/dashboard/browser/pages/watchlists/run-words.ts";
import { idReader, readIds } from "../../functions/dashboard/browser/pages/watchlists/read-ids.ts";
import type { WatchlistRun } from "../../functions/dashboard/browser/api/resources.ts";
import { presentScrapers } from "../../shared/pipelines/present-scrapers.ts";
import { presentPlatforms } from "../../shared/platforms/present-platform.ts";
import { noHealth } from "../support/no-health.ts";

/** Finds the IDs of a platform in a string. */
function readFor(platform: string, text: string, column?: number) {
  const found = presentPlatforms(noHealth).data.find(({ id }) => id === platform);
  return readIds(text, idReader(found?.id_pattern ?? "", found?.id_name ?? ""), column);
}
const read = (text: string, column?: number) => readFor("retailer_d", text, column);

describe("the dashboard's search for item IDs in a pasted text or in a file", () => {
  it.each([
    "12345\n23456",
    "12345,23456",
    " 12345 ; 23456\r\n",
    "12345\t23456\n\n",
    "12345, 23456,",
  ])("finds IDs that are separated by newlines, commas or blanks: %j", (text) => {
    expect(read(text)).toEqual({
      ids: ["12345", "23456"],
      duplicates: 0,
      malformed: [],
      table: undefined,
    });
  });

  it("returns each ID exactly once, and reports other words as malformed with their line number", () => {
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

  it("takes IDs from the CSV column with the most IDs, or from the column that the user chose", () => {
    const csv = 'name,sku,old\r\n"Kettle, ""big""",12345,55555\r\nCup,23456,\r\nPot,oops,\r\n';
    const { ids, malformed, table } = read(csv);
    expect(ids).toEqual(["12345", "23456"]);
    expect(malformed).toEqual([{ text: "oops", line: 4 }]);
    expect(table).toEqual({
      header: ["name", "sku", "old"],
      hasHeader: true,
      column: 1,
      rowCount: 3,
    });
    expect(read(csv, 2).ids).toEqual(["55555"]);
  });

  it("finds IDs below a header, in one column or in cells separated by semicolons or tabs", () => {
    expect(read("sku\n12345\n23456").ids).toEqual(["12345", "23456"]);
    expect(read("sku;name\n12345;a\n23456;b").ids).toEqual(["12345", "23456"]);
    expect(read("sku\tname\n12345\ta").ids).toEqual(["12345"]);
  });

  it("normalizes IDs to the form that the service returns", () => {
    const from = (platform: string, text: string) => readFor(platform, text).ids;
    expect(from("retailer_a", "b0sandbox0 B0SANDBOX0")).toEqual(["B0SANDBOX0"]);
    expect(from("retailer_c", "A-12345678")).toEqual(["12345678"]);
  });
});

describe("the dashboard's search for item IDs in pasted text with other content", () => {
  it.each([
    '"sku"\r\n"9000001"\r\n"9000002"',
    '"9000001","9000002"',
    "'9000001', '9000002'",
    '"9000001",\n"9000002",',
    '["9000001", "9000002"]',
    '[\n  "9000001",\n  "9000002"\n]',
    "“9000001” “9000002”",
    'sku,name\n"\'9000001","a"\n\'9000002,b',
  ])("returns IDs without the quotation marks around them: %j", (text) => {
    const { ids, malformed } = read(text);
    expect([ids, malformed]).toEqual([["9000001", "9000002"], []]);
  });

  it.each([
    ["identifier\nB000000001", ["B000000001"]],
    ["DISHWASHER,B000000001,19.99\nDISHWASHER,B000000002,29.99", ["B000000001", "B000000002"]],
    ["categoryid,asin\nDISHWASHER,B000000001", ["B000000001"]],
    [
      "title,code,categoryid\nDISHWASHER,B000000001,1\nTELEVISION,B000000002,2",
      ["B000000001", "B000000002"],
    ],
    ["sku,title,asin\nAB12345678,Cup,B000000001\nAB12345679,Pot,B000000001", ["B000000001"]],
  ])("ignores words outside the ID column that have the length of an ID: %j", (text, ids) => {
    const found = readFor("retailer_a", text);
    expect([found.ids, found.malformed]).toEqual([ids, []]);
  });

  it("reports a word in a text without columns as malformed if it has only the length of an ID", () => {
    const { ids, malformed } = readFor("retailer_a", "DISHWASHER B000000001");
    expect(ids).toEqual(["B000000001"]);
    expect(malformed).toEqual([{ text: "DISHWASHER", line: 1 }]);
  });

  it("accepts IDs from the ID column even if they contain only letters", () => {
    const { ids } = readFor("retailer_a", "asin,title\nB000000001,Cup\nABCDEFGHIJ,Pot");
    expect(ids).toEqual(["B000000001", "ABCDEFGHIJ"]);
  });

  it.each([
    ["price,sku\n19999,6505678\n29999,6505679"],
    ["stock,SKU ,upc\n12000,6505678,1234567\n13000,6505679,1234568"],
    ["id,sku\n10001,6505678\n10002,6505679"],
    ["price,Item IDs\n19999,6505678\n29999,6505679"],
    ["price,article\n19999,6505678\n19999,6505679"],
    ["Stock list\n\nprice,sku\n19999,6505678\n29999,6505679"],
    ["price,sku\n19999,6505678\n29999,6505679\nTotal"],
    ["Total\nprice,sku\n19999,6505678\nSum\n29999,6505679,x\n49998"],
  ])(
    "takes IDs from the column whose header names IDs, or else from the column with the most distinct IDs: %j",
    (text) => {
      const { ids, malformed } = read(text);
      expect([ids, malformed]).toEqual([["6505678", "6505679"], []]);
    },
  );

  it("takes IDs from the ID column of a table without a header, or from all columns if all contain IDs", () => {
    const { ids, table } = read("6505678,Cup\n6505679,Pot");
    expect(ids).toEqual(["6505678", "6505679"]);
    expect(table).toEqual({ header: ["", ""], hasHeader: false, column: 0, rowCount: 2 });
    expect(read("6505678,6505679\n6505680,6505681").ids).toHaveLength(4);
    expect(read("6505678,6505679\n6505680,oops").malformed).toEqual([{ text: "oops", line: 2 }]);
  });

  it("reports malformed IDs with their line number", () => {
    const { malformed } = read('name,sku\n"Cup,\nblue",12345\n\nPot,oops');
    expect(malformed).toEqual([{ text: "oops", line: 5 }]);
  });

  it("finds IDs after an unclosed quotation mark", () => {
    expect(read('name,sku\n"Cup,12345\nPot,12346').ids).toEqual(["12345", "12346"]);
    expect(read('name,sku\n"6" pan",12345\n"Pot",12346').ids).toEqual(["12345", "12346"]);
  });

  it.each([
    ["an unclosed quotation mark", `name,sku\n"${"Cup,12345\n".repeat(300_000)}`],
    ["many quotation marks", `a,b\n${'"""x\n""""x\n'.repeat(100_000)}`],
    ["many doubled quotation marks", `a,b\n"x\n${'""x,1\n'.repeat(200_000)}`],
    ["one wide row", `a,b\n${"1,2\n".repeat(600)}${",".repeat(2_000_000)}`],
  ])("reads a large file with %s within seconds", (_, text) => {
    // Measures processor time, because other processes do not increase it.
    const before = process.cpuUsage();
    read(text);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(20_000);
  });
});

describe("the dashboard's editor of JSON pipelines", () => {
  const text = JSON.stringify(
    { entry: "a", steps: [{ id: "a,}", routes: [{ when: "ok", run: "b" }] }, { id: "b" }] },
    null,
    2,
  );
  const at = (path: string): string => {
    const { start, end } = placeInJson(text, path);
    return text.slice(start, end);
  };

  it("finds the text range of the value at a JSON path", () => {
    expect(at("entry")).toBe('"a"');
    expect(at("steps[0].routes[0].run")).toBe('"b"');
    expect(JSON.parse(at("steps[1]"))).toEqual({ id: "b" });
    expect(lineAt(text, placeInJson(text, "steps[0].routes[0].run").start)).toBe(9);
  });

  it("finds the text range of the enclosing object if the value is missing", () => {
    expect(JSON.parse(at("steps[1].scraper"))).toEqual({ id: "b" });
    expect(at("refresh")).toBe(text);
    expect(at("")).toBe(text);
  });

  it("reports the reason why a text is not valid JSON", () => {
    expect(jsonProblem(text)).toBeUndefined();
    const problem = jsonProblem('{\n  "a": 1,\n  b\n}');
    expect(problem?.message).toMatch(/^This is not valid JSON: [^\n]+\.$/);
    expect(jsonProblem("")?.message).toMatch(/^This is not valid JSON/);
  });
});

describe("the dashboard's form for a watchlist", () => {
  const steps = [{ id: "a", scraper: "retailer_a.lite" }];
  const ownPipeline = { template: null, text: JSON.stringify({ steps }) };
  const contextFor = (platform: "retailer_a" | "retailer_d", pipeline: PipelineDraft) => ({
    pipeline,
    // The browser parses the response from JSON, which drops undefined values.
    scrapers: JSON.parse(JSON.stringify(presentScrapers({ platform, marketplace: "us" }))),
  });
  const fieldsFor = (...context: Parameters<typeof contextFor>) =>
    settingFields({ refresh_every_runs: "5" }, contextFor(...context));

  it("sends refresh_every_runs only for the default pipeline of retailer_a", () => {
    expect(fieldsFor("retailer_a", newPipeline)).toEqual({ refresh_every_runs: 5 });
    expect(fieldsFor("retailer_a", ownPipeline)).toEqual({});
    expect(fieldsFor("retailer_d", newPipeline)).toEqual({});
    expect(fieldsFor("retailer_d", ownPipeline)).toEqual({});
  });

  it("sends refresh_every_runs only if the user changed it", () => {
    const sent = (text: string) =>
      settingFields({ refresh_every_runs: text }, contextFor("retailer_a", newPipeline), {
        refresh_every_runs: "8",
      });
    expect(sent(" 8 ")).toEqual({});
    expect(sent("0")).toEqual({ refresh_every_runs: 0 });
    expect(JSON.stringify(sent(""))).toBe('{"refresh_every_runs":null}');
  });
});

describe("the dashboard's drawing of a pipeline", () => {
  const templates = ["retailer_a", "retailer_b", "retailer_c", "retailer_d"].flatMap(
    (platform) =>
      presentScrapers({ platform: platform as "retailer_a", marketplace: "us" }).templates,
  );

  it.each(templates)(
    "has one box for each step, and only arrows that point to the right (template: $id)",
    (one) => {
      const { nodes, edges, width, height } = layOut(one.pipeline);
      expect(nodes.map(({ id }) => id)).toEqual(one.pipeline.steps.map(({ id }) => id));
      expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(nodes.length);
      expect(nodes.every(({ x, y }) => x < width && y < height)).toBe(true);
      expect(edges.every(({ from, to }) => from.x < to.x)).toBe(true);
    },
  );

  it("has a text description that states for each step which runs start there and where items go next", () => {
    const [whole] = presentScrapers({ platform: "retailer_a", marketplace: "us" }).templates;
    expect(whole && pipelineSentences(whole.pipeline)).toEqual([
      "pulse: reads with retailer_a.pulse. Starts here: every run. Items with “any tracked field changed” go " +
        "on to lite. Items with “buyboxAboveLowest is true” go on to lite.",
      "lite: reads with retailer_a.lite. Starts here: every 8th run. Items with “any tracked field changed” are reported.",
      "full: reads with retailer_a.full. Starts here: new items.",
    ]);
  });
});

describe("the dashboard's notification about the end of a run", () => {
  const run = {
    status: "completed",
    error: null,
    stats: { changed: 2, new_items: 0, delisted: 0 },
  } as WatchlistRun;

  it("contains the reason if the credits covered only some of the items", () => {
    const error = "Step 'lite' needed 4 credits for 4 items, but the balance was 2 credits.";
    expect(outcomeSentence(run)).toBe("completed: 2 changed.");
    expect(outcomeSentence({ ...run, error })).toBe(`completed: 2 changed. ${error}`);
    const skipped = { ...run, status: "insufficient_credits", error } as const;
    expect(outcomeSentence(skipped)).toBe(`was skipped. ${error}`);
  });
});
