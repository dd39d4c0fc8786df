import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import document from "../functions/meta/generated/openapi.json" with { type: "json" };
import { pages, pageText, proseOf, root } from "./readme/pages.ts";
import { partsOf, sourceTexts } from "./source-texts.ts";
import { avoidedNameParts, avoidedWords, avoidedWordsIn } from "./words.ts";

/** Returns the prose of a Markdown text without its link targets, which are not words. */
const wordsOf = (markdown: string): string => proseOf(markdown).replaceAll(/\]\([^)]*\)/g, "]");

/** Returns the summaries and descriptions below a node of the OpenAPI document. */
function textsOf(node: unknown): string[] {
  if (typeof node !== "object" || node === null) return [];
  const own = Object.entries(node).filter(
    ([key, value]) => /^(?:summary|description)$/.test(key) && typeof value === "string",
  );
  return [...own.map(([, value]) => String(value)), ...Object.values(node).flatMap(textsOf)];
}

/**
 * Files not to check: they contain the avoided words, code in strings or invented product texts.
 */
const exempt =
  /\/generated\/|^shared\/sources\/sandbox\/retailer-a-details|^test\/words\.|^test\/sim\/mutant-list-/;
const sources = execFileSync("git", ["ls-files", "*.ts", "*.tsx"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((path) => path !== "" && !exempt.test(path))
  .map((path) => {
    const { prose, names } = sourceTexts(path, readFileSync(`${root}${path}`, "utf8"));
    return { path, prose, names };
  });

describe("the words to avoid", () => {
  it.each(pages)("do not occur in the page %s", (page) => {
    expect(avoidedWordsIn(wordsOf(pageText(page)))).toEqual([]);
  });

  it("do not occur in the OpenAPI document", () => {
    const texts = new Set(textsOf(document));

    expect(texts.size).toBeGreaterThan(200);
    expect([...texts].flatMap((text) => avoidedWordsIn(wordsOf(text)))).toEqual([]);
  });

  it("do not occur in comments, messages, test names and UI texts", () => {
    expect(sources.length).toBeGreaterThan(1_000);
    expect(
      sources.flatMap(({ path, prose }) =>
        prose.flatMap((text) => avoidedWordsIn(text).map((found) => `${path}: ${found}`)),
      ),
    ).toEqual([]);
  });

  it("do not occur in identifiers", () => {
    const isAvoided = (name: string): boolean =>
      partsOf(name).some((part) => avoidedNameParts.has(part));
    expect(
      sources.flatMap(({ path, names }) =>
        [...names].filter(isAvoided).map((name) => `${path}: ${name}`),
      ),
    ).toEqual([]);
  });

  it("are detected in a text, except in inline code, quoted names and options", () => {
    expect(avoidedWords.length).toBeGreaterThan(20);
    expect(avoidedWordsIn("The sweeper mends it by itself, and nobody says so.")).toHaveLength(4);
    expect(avoidedWordsIn("The sweeper restarts stalled runs automatically.")).toEqual([]);
    expect(avoidedWordsIn("Send 'ids' or `asins`, with --ids or not.")).toEqual([]);
  });

  it("are searched for in each comment, string, template, UI text and identifier of a source file", () => {
    const source =
      'const isTold = "no words"; /* a comment */ f(`at ${1} time`); <p>a page</p>; g("two words");';
    const { prose, names } = sourceTexts("page.tsx", source);

    expect(prose).toEqual([" a comment ", "no words", "at … time", "a page", "two words"]);
    expect([...names]).toEqual(expect.arrayContaining(["isTold", "f", "p", "g"]));
    expect(partsOf("isTold_SoFar")).toEqual(["is", "told", "so", "far"]);
  });
});
