/** A script element of a page. */
export interface PageScript {
  /** The attributes, as they are written. */
  readonly attributes: string;
  readonly content: string;
}

/** The maximum length of the opening tag of a script element. */
const openingCharactersMax = 4_000;
const closing = /<\/script/gi;

/**
 * Yields the script elements of a page in document order. Scans the text outside comments instead
 * of parsing the HTML, because the scan finds the same elements and is faster. Omits a script
 * element without an end tag.
 */
export function* scriptsIn(html: string): Generator<PageScript> {
  const marks = /<!--|<script(?=[\s/>])/gi;
  for (;;) {
    const mark = marks.exec(html);
    if (mark === null) return;
    const isComment = mark[0] === "<!--";
    const start = isComment ? mark.index + 2 : marks.lastIndex;
    const end = isComment ? endOfComment(html, start) : endOfScript(html, start);
    marks.lastIndex = end;
    const close = isComment
      ? -1
      : html.slice(start, Math.min(end, start + openingCharactersMax)).indexOf(">");
    if (close === -1) continue;
    yield {
      attributes: html.slice(start, start + close),
      content: html.slice(start + close + 1, end),
    };
  }
}

/**
 * Returns the position after a comment. A comment without an end extends to the end of the page.
 */
function endOfComment(html: string, start: number): number {
  const end = html.indexOf("-->", start);
  return end === -1 ? html.length : end + 3;
}

/** Returns the position of the next end tag of a script; the end of the page if there is none. */
function endOfScript(html: string, start: number): number {
  closing.lastIndex = start;
  return closing.exec(html)?.index ?? html.length;
}
