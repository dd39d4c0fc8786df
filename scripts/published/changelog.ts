import { Marked } from "marked";
import * as v from "valibot";
import { plainText } from "../docs/markdown.ts";

/** The sections of a release that concern clients of the API, by their headings in CHANGELOG.md. */
const sections = {
  Added: "added",
  Changed: "changed",
  Deprecated: "deprecated",
  Removed: "removed",
  Fixed: "fixed",
} as const;
type SectionKey = (typeof sections)[keyof typeof sections];

/** An inline token of a heading or a list item, such as text, code or a link. */
const inline = v.looseObject({ type: v.string(), raw: v.string() });
type Inline = v.InferOutput<typeof inline>;
const ofTokens = { tokens: v.array(inline) };
/** The blocks of a Markdown page. The changelog has its content in headings and lists. */
const blocks = v.array(
  v.union([
    v.object({ type: v.literal("heading"), depth: v.number(), ...ofTokens }),
    v.object({ type: v.literal("list"), items: v.array(v.object(ofTokens)) }),
    v.object({ type: v.picklist(["space", "paragraph", "def", "code"]) }),
  ]),
);

/** A release of the changelog. */
export type Release = {
  readonly object: "release";
  /** Null for changes that no release has yet. */
  readonly version: string | null;
  /** The day of the release (ISO 8601); null for changes that no release has yet. */
  readonly date: string | null;
} & Readonly<Record<SectionKey, readonly string[]>>;

const empty: Readonly<Record<SectionKey, readonly string[]>> = {
  added: [],
  changed: [],
  deprecated: [],
  removed: [],
  fixed: [],
};

/**
 * Returns the releases of a changelog in the format of Keep a Changelog, in the order of the file.
 * Entries are plain text without links. Leaves out the section for operators.
 * @throws Error if a heading of a release is neither `[Unreleased]` nor `[version] - date`, or if
 * an entry precedes the first release
 */
export function releasesOf(markdown: string): readonly Release[] {
  const releases: Release[] = [];
  let section: SectionKey | undefined;
  for (const token of v.parse(blocks, new Marked().lexer(markdown))) {
    if (token.type === "heading" && token.depth === 2) {
      releases.push(newRelease(plainText(token.tokens)));
      section = undefined;
    } else if (token.type === "heading" && token.depth === 3) {
      section = sectionOf(plainText(token.tokens));
    } else if (token.type === "list" && section !== undefined) {
      const release = releases.pop();
      if (release === undefined)
        throw new Error(
          "CHANGELOG.md has entries above its first release. Move them below a heading of level 2.",
        );
      const entries = token.items.map(({ tokens }) => textOf(tokens));
      releases.push({ ...release, [section]: [...release[section], ...entries] });
    }
  }
  return releases;
}

const sectionOf = (heading: string): SectionKey | undefined =>
  Object.entries(sections).find(([name]) => name === heading)?.[1];

function newRelease(heading: string): Release {
  if (heading === "[Unreleased]" || heading === "Unreleased") {
    return { object: "release", version: null, date: null, ...empty };
  }
  const [, version, date] = /^\[?(\d+\.\d+\.\d+)\]? - (\d{4}-\d{2}-\d{2})$/.exec(heading) ?? [];
  if (version === undefined || date === undefined) {
    throw new Error(
      `The heading "${heading}" of CHANGELOG.md must have the form "[1.2.3] - 2026-11-23", or be "[Unreleased]".`,
    );
  }
  return { object: "release", version, date, ...empty };
}

const textOf = (tokens: readonly Inline[]): string =>
  plainText(tokens).replaceAll(/\s+/g, " ").trim();
