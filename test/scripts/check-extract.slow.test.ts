import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aPage } from "../shared/sources/web/page.ts";
import { type Ended, runScript } from "../support/run-script.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "check-extract-"));
  writeFileSync(join(folder, "page.html"), aPage("", `<b class="now">$18.75</b><i>Sold out</i>`));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command on the page with a configuration. */
const check = (config: unknown, ...args: readonly string[]): Promise<Ended> => {
  const text = typeof config === "string" ? config : JSON.stringify(config);
  writeFileSync(join(folder, "web.json"), text);
  const given = ["page.html", "--config", "web.json", "--url", "https://shop.example/p/6501234"];
  return runScript("scripts/check-extract.ts", [...given, ...args], { cwd: folder, env: {} });
};

describe("npm run check:extract", () => {
  it("prints the values that each rule finds, and the values that the adapter reads", async () => {
    const { code, out } = await check(
      { adapter: "web", extract: { price: [".missing", ".now"] } },
      "--json",
    );
    expect(JSON.parse(out)).toEqual({
      rules: [
        { field: "price", rule: ".missing", result: "(nothing)" },
        { field: "price", rule: ".now", result: "$18.75" },
      ],
      proof: "product",
      facts: { price: { amount: 18.75, currency: "USD" }, availability: "outofstock" },
    });
    expect(code).toBe(0);
  });

  it("exits with code 1 if the rules find neither a price nor the availability", async () => {
    const { code, out, err } = await check({ price: [".missing"] });
    expect(out).toContain("(nothing)");
    expect(err).toContain("no price and no availability");
    expect(code).toBe(1);
  });

  it("exits with code 1 and prints the reason if the adapter reads no price although a rule finds one", async () => {
    const price = [".now"];
    const foreign = await check({ price, currency: ["= EUR"] });
    expect(foreign.err).toContain("The price is in EUR, not in USD");
    expect(foreign.code).toBe(1);
    const another = await check({ price }, "--currency", "EUR");
    expect(another.err).toContain("The price has no currency");
    expect(another.code).toBe(1);
  });

  it.each([
    [{ extract: { price: [".a["] } }, /price\.0 must have a valid CSS selector \(got "\.a\["/],
    [{ prize: [".now"] }, /prize is not a field/],
    ["{", /is not valid JSON/],
  ])("exits with code 2 and names the mistake in the rules %j", async (config, message) => {
    const { code, err } = await check(config);
    expect(err).toMatch(message);
    expect(code).toBe(2);
  });
});
