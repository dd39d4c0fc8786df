import { Marked, type Tokens } from "marked";

/** The content of a page below one heading. */
export interface Section {
  readonly heading: string;
  /** The `id` of the heading. */
  readonly id: string;
  /** Plain text without markup, for the search. */
  readonly text: string;
}

/** A Markdown page as HTML, with its sections for the search. */
export interface RenderedPage {
  readonly title: string;
  readonly html: string;
  readonly sections: readonly Section[];
}

/** Returns the target of a link; undefined if only the text of the link is to be shown. */
export type ResolveLink = (href: string) => string | undefined;

/**
 * Renders a Markdown page as HTML. Shows raw HTML of the source as text, and an image as its
 * alternative text.
 * @param resolveLink Returns the address for the target of a link. If it returns undefined, the
 * page shows only the text of the link.
 */
export function renderMarkdown(source: string, resolveLink: ResolveLink): RenderedPage {
  const id = headingIds();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }): string {
        const anchor = id(plainText(tokens));
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }): string {
        const target = resolveLink(href);
        const text = this.parser.parseInline(tokens);
        return target === undefined ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
      },
      image: ({ text }): string => escapeHtml(text),
      html: ({ text }): string => escapeHtml(text),
      // Makes a scrollable block reachable with the keyboard.
      code: ({ text }): string => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    },
  });
  const tokens = marked.lexer(source);
  const sections = sectionsOf(tokens);
  // Lets keyboard users scroll a wide table, as they can scroll a code block.
  const html = marked.parser(tokens).replaceAll("<table>", '<table tabindex="0">');
  return { title: sections[0]?.heading ?? "", html, sections };
}

function sectionsOf(tokens: readonly Tokens.Generic[]): readonly Section[] {
  const id = headingIds();
  const sections: { heading: string; id: string; text: string }[] = [];
  for (const token of tokens) {
    if (token.type === "heading") {
      const heading = plainText(token.tokens ?? []);
      sections.push({ heading, id: id(heading), text: "" });
      continue;
    }
    const last = sections.at(-1);
    if (last !== undefined)
      last.text += `${token.raw.replaceAll(/[`*|#\s]+|(?<!\w)-+(?!\w)/g, " ").trim()} `;
  }
  return sections;
}

/** Returns the text of Markdown tokens without markup. */
export const plainText = (tokens: readonly Tokens.Generic[]): string =>
  tokens
    .map((token) => (token.tokens ? plainText(token.tokens) : String(token["text"] ?? token.raw)))
    .join("");

/**
 * Creates heading IDs in the same way as GitHub, so that links to headings work on GitHub and on
 * the published pages. IDs of error codes keep their capitals.
 */
function headingIds(): (heading: string) => string {
  const used = new Map<string, number>();
  return (heading) => {
    const isCode = /^[A-Z][A-Z_]+$/.test(heading);
    const slug = isCode
      ? heading
      : heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
          .replaceAll(" ", "-");
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

/** Escapes a string for HTML content and for attributes in double quotes. */
export const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
