import { describe, expect, it } from "vitest";
import document from "../functions/meta/generated/openapi.json" with { type: "json" };
import { pages, pageText, proseOf } from "./readme/pages.ts";
import { avoidedWords, avoidedWordsIn } from "./words.ts";

/** Without inline code, link targets, and names that code gives. */
const wordsOf = (markdown: string): string =>
  proseOf(markdown)
    .replaceAll(/`[^`]*`/g, "`code`")
    .replaceAll(/\]\([^)]*\)/g, "]");

/** Summaries and descriptions below a node of the OpenAPI document. */
function textsOf(node: unknown): string[] {
  if (typeof node !== "object" || node === null) return [];
  const own = Object.entries(node).filter(
    ([key, value]) => /^(?:summary|description)$/.test(key) && typeof value === "string",
  );
  return [...own.map(([, value]) => String(value)), ...Object.values(node).flatMap(textsOf)];
}

describe("the words to avoid", () => {
  it.each(pages)("do not occur in %s", (page) => {
    expect(avoidedWordsIn(wordsOf(pageText(page)))).toEqual([]);
  });

  it("do not occur in the OpenAPI document", () => {
    const texts = new Set(textsOf(document));

    expect(texts.size).toBeGreaterThan(200);
    expect([...texts].flatMap((text) => avoidedWordsIn(wordsOf(text)))).toEqual([]);
  });

  it("are found in a text", () => {
    expect(avoidedWords.length).toBeGreaterThan(20);
    expect(avoidedWordsIn("The sweeper mends it by itself, and nobody says so.")).toHaveLength(4);
    expect(avoidedWordsIn("The sweeper restarts stalled runs automatically.")).toEqual([]);
  });
});
