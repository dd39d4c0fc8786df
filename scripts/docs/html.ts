import { createHash } from "node:crypto";

/** Text as HTML, with what stands between backticks as code. */
export function prose(text: string): string {
  return text
    .split("`")
    .map((part, n) => (n % 2 === 1 ? `<code>${escape(part)}</code>` : escape(part)))
    .join("");
}

export function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

export interface Page {
  readonly html: string;
  /** Allows the page's own style and script by their digest, calls to this service, nothing else. */
  readonly contentSecurityPolicy: string;
}

export interface PageParts {
  readonly title: string;
  /** HTML. */
  readonly main: string;
  readonly style: string;
  readonly script?: string;
}

/** A page that is complete in itself. */
export function page({ title, main, style, script }: PageParts): Page {
  const html = [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    // An empty icon: the browser would otherwise ask for one.
    '<link rel="icon" href="data:,">',
    `<title>${escape(title)}</title>`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    main,
    script === undefined ? "" : `<script type="module">${script}</script>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
  return { html, contentSecurityPolicy: policy(style, script) };
}

function policy(style: string, script: string | undefined): string {
  return [
    "default-src 'none'",
    `style-src ${digest(style)}`,
    "img-src data:",
    ...(script === undefined ? [] : [`script-src ${digest(script)}`, "connect-src 'self'"]),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

const digest = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
