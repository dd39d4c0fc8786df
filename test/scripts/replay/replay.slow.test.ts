import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { priceFixtures, priceFolder } from "../../support/price-folder.ts";
import { type Ended, runScript } from "../../support/run-script.ts";

let folder: string;
beforeAll(() => {
  folder = priceFolder(priceFixtures());
});
afterAll(() => rmSync(folder, { recursive: true }));

const replay = (...args: readonly string[]): Promise<Ended> =>
  runScript("scripts/replay.ts", ["--prices", folder, ...args], {
    env: { PATH: process.env["PATH"], HOME: folder },
  });

it("a replay of invented prices over 53 days makes the decisions and stores the history that DuckDB calculates", async () => {
  const { code, out } = await replay("--records", folder, "--json");
  const result = JSON.parse(out) as {
    readonly comparisons: readonly Readonly<Record<string, unknown>>[];
    readonly backtests: readonly Readonly<Record<string, unknown>>[];
  };

  expect(result).toMatchObject({
    products: 13,
    productsInFiles: 13,
    firstDay: "2025-12-20",
    lastDay: "2026-02-10",
    played: { days: 53, runs: 156, passed: 156, held: 0 },
  });
  expect(result.comparisons.map(({ name }) => name)).toEqual([
    "history",
    "brake",
    "changed",
    "percent",
    "drop",
    "confirm",
    "cooldown",
    "once",
    "stable",
    "lowest30d",
    "lowest90d",
    "average30d",
    "changedCount7d",
    "previousPrice",
  ]);
  expect(result.backtests).toMatchObject([{ name: "backtest" }, { name: "backtest other" }]);
  expect(result.backtests[0]?.["equal"]).toBeGreaterThan(50);
  for (const one of [...result.comparisons, ...result.backtests]) {
    expect(one).toMatchObject({ missing: 0, unexpected: 0, examples: [] });
  }
  // The fixtures have too few products for a decision of these three rules. Real shops have enough.
  const empty = result.comparisons.filter(({ equal }) => equal === 0).map(({ name }) => name);
  expect(empty).toEqual(["lowest90d", "average30d", "changedCount7d"]);
  expect(code).toBe(0);
  const points = readFileSync(join(folder, "points.jsonl"), "utf8");
  expect(points).toContain(
    '{"shop":"harbour","product":"old","read_at":"2025-12-20T06:00:00.000Z","price":12}',
  );
});

it("a replay of 60 invented products holds the run with all prices multiplied by a hundred, without an effect on later decisions", async () => {
  const lines = Array.from({ length: 60 }, (_, n) =>
    JSON.stringify({
      id: `p${n}`,
      prices: [
        ["2026-01-29", 10 + n],
        ["2026-02-01", n % 2 === 0 ? 10 + n : 12 + n],
        ["2026-02-03", n % 3 === 0 ? null : n % 2 === 0 ? 10 + n : 12 + n],
      ],
    }),
  );
  const large = priceFolder({ market: lines.join("\n") });
  const { code, out } = await runScript(
    "scripts/replay.ts",
    ["--prices", large, "--records", large],
    { env: { PATH: process.env["PATH"], HOME: folder } },
  );
  const runs = readFileSync(join(large, "runs.jsonl"), "utf8");
  rmSync(large, { recursive: true });

  expect(out).toContain(
    "The brakes passed 12 runs, held 2 runs with all prices multiplied by 100,\n",
  );
  expect(out).toMatch(/brake +14 +0 +0/);
  expect(out).not.toContain("DIFFERENT");
  expect(code).toBe(0);
  expect(runs).toContain(
    '{"shop":"market","list":"limited","day":"2026-02-01","factor":100,"changed":60,"read":60,"is_held":true}',
  );
});

it("a replay of 210 invented products holds the run with every fifth price multiplied by a hundred, without an effect on later decisions", async () => {
  const lines = Array.from({ length: 210 }, (_, n) =>
    JSON.stringify({
      id: `p${n}`,
      prices: [
        ["2026-01-13", 10 + n],
        ["2026-01-16", n % 2 === 0 ? 10 + n : 12 + n],
      ],
    }),
  );
  const large = priceFolder({ market: lines.join("\n") });
  const { code, out } = await runScript("scripts/replay.ts", ["--prices", large], {
    env: { PATH: process.env["PATH"], HOME: folder },
  });
  rmSync(large, { recursive: true });

  expect(out).toContain(
    "held 0 runs with all prices multiplied by 100,\nand 2 runs with a fifth of the prices multiplied by 100.",
  );
  expect(out).not.toContain("DIFFERENT");
  expect(code).toBe(0);
});

it("npm run replay refuses the name of a shop that has no price file", async () => {
  const { code, err } = await replay("--shop", "island");

  expect(code).toBe(1);
  expect(err).toBe('--shop must be one of: corner, harbour (got "island").\n');
});
