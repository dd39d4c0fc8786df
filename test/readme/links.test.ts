import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { pages, pageText, proseOf, root } from "./pages.ts";

const readmeLinesMax = 200;

/** Anchors of a page's headings in GitHub's form. */
const anchorsOf = (page: string): ReadonlySet<string> =>
  new Set(
    [...proseOf(pageText(page)).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );

const linksOf = (page: string): string[] =>
  [...proseOf(pageText(page)).matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^[a-z]+:/.test(link));

/** Returns the error of a link on a page; null if the link is valid. */
function faultOf(page: string, link: string): string | null {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return `${page}: ${link} leads to no file`;
  const isFound = anchor === undefined || anchorsOf(target).has(anchor);
  return isFound ? null : `${page}: ${link} leads to no heading`;
}

describe("the Markdown pages", () => {
  it("link only to files and headings that exist", () => {
    const links = pages.flatMap((page) => linksOf(page).map((link) => ({ page, link })));

    expect(links.length).toBeGreaterThan(50);
    expect(links.map(({ page, link }) => faultOf(page, link)).filter(Boolean)).toEqual([]);
  });

  it("name only files of the project that exist", () => {
    const named = pages
      .filter((page) => page !== "CHANGELOG.md" && !page.startsWith("docs/adr/"))
      .flatMap((page) =>
        [
          ...proseOf(pageText(page)).matchAll(
            /`((?:\.ci|docs|functions|lib|scripts|shared|test|tools)\/[\w./-]+)`/g,
          ),
        ].map(([, path = ""]) => ({ page, path })),
      );

    expect(named.length).toBeGreaterThan(100);
    expect(named.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("can all be reached through links from the README", () => {
    const reached = new Set(["README.md"]);
    for (const page of reached) {
      for (const link of linksOf(page)) {
        const target = join(dirname(page), link.split("#")[0] ?? "");
        if (pages.includes(target)) reached.add(target);
      }
    }
    const elsewhere = pages.filter((page) => !/^docs\/adr\/|^\.github\//.test(page));

    expect(elsewhere.filter((page) => !reached.has(page))).toEqual([]);
  });
});

it(`the README has at most ${readmeLinesMax} lines`, () => {
  expect(pageText("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(readmeLinesMax);
});
