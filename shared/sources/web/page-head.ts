import { plainText } from "./plain-text.ts";

/** The metadata in the head of a page. */
export interface PageHead {
  readonly title: string | undefined;
  /** The address in `<link rel="canonical">`, not resolved; undefined if there is none. */
  readonly canonical: string | undefined;
  /**
   * The contents of `<meta>` elements. The key is the `property` of the element, or its `name` if
   * it has no `property`, in lower case. The first of several elements with the same key is used.
   */
  readonly metas: ReadonlyMap<string, string>;
}

const tagsMax = 2_000;
const tagLengthMax = 4_000;
const titleLengthMax = 1_000;
/**
 * Matches one attribute. The expression is sticky, so that each match starts where the previous one
 * ended.
 */
const attribute = /[\s/]*([^\s=<>"'/]+)\s*(?:=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/y;

/**
 * Returns the title, canonical address and `<meta>` contents of a page. Scans the whole page,
 * because some pages have `<meta>` elements in the body, but uses only the first 2,000 `<meta>` and
 * `<link>` elements.
 */
export function pageHead(html: string): PageHead {
  const metas = new Map<string, string>();
  let canonical: string | undefined;
  for (const { element, attributes } of tagsIn(html)) {
    if (element === "meta") addMeta(metas, attributes);
    else canonical ??= canonicalIn(attributes);
  }
  return { title: titleOf(html), canonical, metas };
}

interface Tag {
  readonly element: "meta" | "link";
  readonly attributes: ReadonlyMap<string, string>;
}

/** Yields the first `tagsMax` `<meta>` and `<link>` elements of a page. */
function* tagsIn(html: string): Generator<Tag> {
  const openings = /<(meta|link)\s/gi;
  for (let tags = 0; tags < tagsMax; tags += 1) {
    const opening = openings.exec(html);
    if (opening === null) return;
    const element = opening[1]?.toLowerCase() === "meta" ? "meta" : "link";
    yield { element, attributes: attributesOf(html, openings.lastIndex) };
  }
}

/** Adds the content of a `<meta>` element, unless its name is already there. */
function addMeta(metas: Map<string, string>, attributes: ReadonlyMap<string, string>): void {
  const name = (attributes.get("property") ?? attributes.get("name"))?.toLowerCase();
  const content = attributes.get("content");
  if (name === undefined || content === undefined || metas.has(name)) return;
  metas.set(name, plainText(content));
}

/** Returns the address in a `<link rel="canonical">`; undefined for any other link. */
function canonicalIn(attributes: ReadonlyMap<string, string>): string | undefined {
  if (attributes.get("rel")?.toLowerCase() !== "canonical") return undefined;
  const address = plainText(attributes.get("href") ?? "");
  return address === "" ? undefined : address;
}

/**
 * Parses the attributes of a tag. `start` is the position after the element's name. If an attribute
 * occurs several times, the first value is used.
 */
function attributesOf(html: string, start: number): Map<string, string> {
  const tag = html.slice(start, start + tagLengthMax);
  const foundAttributes = new Map<string, string>();
  attribute.lastIndex = 0;
  for (let match = attribute.exec(tag); match !== null; match = attribute.exec(tag)) {
    const name = (match[1] ?? "").toLowerCase();
    if (!foundAttributes.has(name))
      foundAttributes.set(name, match[2] ?? match[3] ?? match[4] ?? "");
  }
  return foundAttributes;
}

/** Returns the text of the `<title>` element; undefined if it is absent or empty. */
function titleOf(html: string): string | undefined {
  const opening = /<title\b/i.exec(html);
  if (opening === null) return undefined;
  const inside = html.slice(opening.index, opening.index + titleLengthMax);
  const title = plainText(/^[^>]*>([^<]*)/.exec(inside)?.[1] ?? "");
  return title === "" ? undefined : title;
}
