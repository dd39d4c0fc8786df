import { plainText } from "./plain-text.ts";

/** The metadata in the head of a page. */
export interface PageHead {
  readonly title: string | undefined;
  /** `<link rel="canonical">`, unchanged. */
  readonly canonical: string | undefined;
  /**
   * Contents of `<meta>` elements by `property` or `name` in lower case. The first of each name
   * counts.
   */
  readonly metas: ReadonlyMap<string, string>;
}

const tagsMax = 2_000;
const tagLengthMax = 4_000;
const titleLengthMax = 1_000;
/** One attribute; sticky, so that it starts where the previous one ended. */
const attribute = /[\s/]*([^\s=<>"'/]+)\s*(?:=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/y;

/** Scans a page for its title, canonical address and metas. Some pages have metas in the body. */
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

function* tagsIn(html: string): Generator<Tag> {
  const openings = /<(meta|link)\s/gi;
  for (let tags = 0; tags < tagsMax; tags += 1) {
    const opening = openings.exec(html);
    if (opening === null) return;
    const element = opening[1]?.toLowerCase() === "meta" ? "meta" : "link";
    yield { element, attributes: attributesOf(html, openings.lastIndex) };
  }
}

function addMeta(metas: Map<string, string>, attributes: ReadonlyMap<string, string>): void {
  const name = (attributes.get("property") ?? attributes.get("name"))?.toLowerCase();
  const content = attributes.get("content");
  if (name === undefined || content === undefined || metas.has(name)) return;
  metas.set(name, plainText(content));
}

function canonicalIn(attributes: ReadonlyMap<string, string>): string | undefined {
  if (attributes.get("rel")?.toLowerCase() !== "canonical") return undefined;
  const address = plainText(attributes.get("href") ?? "");
  return address === "" ? undefined : address;
}

/** Parses the attributes of a tag, from after the element's name. The first of each name counts. */
function attributesOf(html: string, start: number): Map<string, string> {
  const tag = html.slice(start, start + tagLengthMax);
  const found = new Map<string, string>();
  attribute.lastIndex = 0;
  for (let match = attribute.exec(tag); match !== null; match = attribute.exec(tag)) {
    const name = (match[1] ?? "").toLowerCase();
    if (!found.has(name)) found.set(name, match[2] ?? match[3] ?? match[4] ?? "");
  }
  return found;
}

function titleOf(html: string): string | undefined {
  const opening = /<title\b/i.exec(html);
  if (opening === null) return undefined;
  const inside = html.slice(opening.index, opening.index + titleLengthMax);
  const title = plainText(/^[^>]*>([^<]*)/.exec(inside)?.[1] ?? "");
  return title === "" ? undefined : title;
}
