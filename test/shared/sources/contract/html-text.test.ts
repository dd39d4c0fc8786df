import { describe, expect, it } from "vitest";
import { lineOf, paragraphsOf } from "../../../../shared/sources/contract/html-text.ts";

describe("lineOf, which extracts text from HTML,", () => {
  it.each([
    ["A &amp; B", "A & B"],
    ["7&quot; &#39;x&#x27;", "7\" 'x'"],
    ["&lt;b&gt;", "<b>"],
    ["&amp;amp;", "&amp;"],
    ["a\u0000\n\t b", "a b"],
    ["Size < 5 & up", "Size < 5 & up"],
    ["&nothing; &amp Pen&notebook", "&nothing; &amp Pen&notebook"],
    ["&#0; &#1114112; &#xD800;", "\uFFFD \uFFFD \uFFFD"],
    ["a&#1;b&#8238;c", "a bc"],
    ["Caf&eacute;&trade; &Omega; &#150;", "Café™ Ω –"],
  ])("converts the HTML %j to the line of text %j", (text, line) => {
    expect(lineOf(text)).toBe(line);
  });
});

describe("paragraphsOf, which extracts text from HTML,", () => {
  it("splits HTML into the paragraphs of its block elements, without tags", () => {
    const html = "<p>One <b>two</b></p><ul><li>Three &lt; 4<li>Five</ul>Six<br/>Seven";
    expect(paragraphsOf(html)).toEqual(["One two", "Three < 4", "Five", "Six", "Seven"]);
  });

  it("drops scripts and comments with their content", () => {
    expect(paragraphsOf("a<script>alert('<p>')</script>b<!-- c<p>d -->e")).toEqual(["a b e"]);
  });

  it("returns a text without HTML unchanged", () => {
    expect(paragraphsOf("5 < 6\n7 > 6")).toEqual(["5 < 6", "7 > 6"]);
    expect(paragraphsOf("Pen&notebook")).toEqual(["Pen&notebook"]);
    expect(paragraphsOf("  ")).toEqual([]);
  });

  it("takes a short time even for a text that is designed to be slow to parse", () => {
    // Measures processor time, because other processes do not increase it.
    const before = process.cpuUsage();
    for (const part of ["<script>", "<!--", "<a ", "&#1", "<p"]) paragraphsOf(part.repeat(100_000));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(5_000);
  });
});
