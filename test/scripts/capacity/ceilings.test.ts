import { expect, it } from "vitest";
import { ceilings } from "../../../scripts/capacity/ceilings.ts";
import { ceilingRows } from "../../../scripts/capacity/rows.ts";
import { pageCells } from "./markdown.ts";

it("the computed maximum delivery rate of a busy endpoint equals the measured rate in docs/performance.md", () => {
  const busy = ceilings().find(({ what }) => what.includes("`set-endpoint-requests`"));
  const measured = pageCells.find(
    ([requests, response]) => requests === "100" && response === "200 ms",
  );

  expect(busy?.ceiling).toBe(`${measured?.[2]}/s at 200 ms per response, measured`);
});

it("docs/performance.md lists exactly the maximum rates that the code computes", () => {
  const rows = ceilingRows(ceilings());
  const header = Object.keys(rows[0] ?? {});
  const start = pageCells.findIndex((cells) => cells.join() === header.join());
  // The line below the header has only dashes.
  const table = pageCells.slice(start + 2);
  const end = table.findIndex((cells) => cells.length === 0);

  expect(start).toBeGreaterThan(0);
  expect(table.slice(0, end)).toEqual(rows.map((row) => Object.values(row)));
});
