import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Asset, type Bundle, bundleFile, namedAsset } from "./bundle.ts";
import { escapeHtml, renderMarkdown, type RenderedPage } from "./markdown.ts";
import { sandboxPage } from "./sandbox-page.ts";
import { upstreamPage } from "./upstream-page.ts";
import { errorsPage } from "../../tools/documents/errors-page.ts";

const folder = join(import.meta.dirname, "../../docs");

const guide = (name: string) => (): string => readFileSync(join(folder, `${name}.md`), "utf8");

/** Markdown of the published pages, in the order of the index. */
const sources: Readonly<Record<string, () => string>> = {
  "api-guide": guide("api-guide"),
  "watchlists-and-pipelines": guide("watchlists-and-pipelines"),
  webhooks: guide("webhooks"),
  "s3-export": guide("s3-export"),
  clients: guide("clients"),
  dashboard: guide("dashboard"),
  agents: guide("agents"),
  "generated-clients": guide("generated-clients"),
  errors: () => errorsPage,
  sandbox: sandboxPage,
  upstream: upstreamPage,
  glossary: guide("glossary"),
  changelog: () => readFileSync(join(folder, "../CHANGELOG.md"), "utf8"),
};

interface PublicPage extends RenderedPage {
  readonly name: string;
}

/** The published documentation. */
export interface Documentation {
  /** HTML by page name; the page `index` is `/docs`. */
  readonly pages: Readonly<Record<string, string>>;
  /** Scripts, style sheets and the search index. Each name contains a hash of the content. */
  readonly assets: readonly Asset[];
}

/** An operation as the page of the API reference lists it. */
export interface ListedOperation {
  /** The method and the path, such as `GET /v1/account`. */
  readonly key: string;
  readonly tag: string;
  readonly summary: string;
}

/** Returns the names and titles of the published guides, in the order of the index. */
export const pageTitles = (): readonly { readonly name: string; readonly title: string }[] =>
  Object.entries(sources).map(([name, source]) => ({
    name,
    title: renderMarkdown(source(), publicLink).title,
  }));

/** Renders all pages of the documentation, with the assets that they load. */
export function documentation(operations: readonly ListedOperation[]): Documentation {
  const pages = Object.entries(sources).map(([name, source]) => {
    const { title, html: main, sections } = renderMarkdown(source(), publicLink);
    return { name, title, html: main, sections };
  });
  const style = bundleFile("style.css");
  const search = bundleFile("search.ts");
  const renderer = bundleFile("reference.ts");
  const rendererStyle = bundleFile("reference.css");
  const sections = namedAsset("sections", "json", JSON.stringify(pages.flatMap(searchEntries)));
  return {
    pages: {
      index: indexPage(pages, { style, search, sections }),
      reference: referencePage(operations, renderer, rendererStyle),
      ...Object.fromEntries(pages.map((page) => [page.name, guidePage(page, style)])),
    },
    assets: [...[style, search, renderer, rendererStyle].flatMap(({ assets }) => assets), sections],
  };
}

/**
 * Returns the published address of a link target. The target can be a page, whose name is returned
 * without `.md`, or an anchor or HTTPS URL, which is returned unchanged. Returns undefined for any
 * other file of the project, because such files are not published.
 */
function publicLink(href: string): string | undefined {
  if (/^(#|https:\/\/)/.test(href)) return href;
  const [, name = "", anchor = ""] = /^(?:\.\/|docs\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  return name in sources ? `${name}${anchor}` : undefined;
}

const searchEntries = ({ name, title, sections }: PublicPage) =>
  sections.map(({ heading, id, text }) => ({
    page: title,
    heading,
    href: `docs/${name}#${id}`,
    text,
  }));

interface IndexParts {
  readonly style: Bundle;
  readonly search: Bundle;
  readonly sections: Asset;
}

const indexPage = (pages: readonly PublicPage[], { style, search, sections }: IndexParts): string =>
  html({
    title: "Documentation",
    head: [
      `<link rel="stylesheet" href="docs/assets/${style.entry}">`,
      `<script type="module" src="docs/assets/${search.entry}"></script>`,
    ],
    body: [
      '<nav aria-label="Service"><a href="dashboard">Dashboard</a> ' +
        '<a href="v1/openapi.json">OpenAPI document</a></nav>',
      "<main>",
      "<h1>Documentation</h1>",
      '<p><label for="search">Search the guides</label></p>',
      '<input type="search" id="search" autocomplete="off" ' +
        `data-sections="docs/assets/${sections.name}">`,
      '<p id="results-status" role="status"></p>',
      '<ol id="results"></ol>',
      "<h2>Guides and reference</h2>",
      "<ul>",
      '<li><a href="docs/reference">API reference</a></li>',
      ...pages.map(({ name, title }) => `<li><a href="docs/${name}">${escapeHtml(title)}</a></li>`),
      "</ul>",
      "</main>",
    ],
  });

const guidePage = ({ title, html: main }: PublicPage, style: Bundle): string =>
  html({
    title,
    head: [`<link rel="stylesheet" href="assets/${style.entry}">`],
    body: [
      '<nav aria-label="Service"><a href="../docs">Documentation</a> ' +
        '<a href="reference">API reference</a> <a href="../dashboard">Dashboard</a></nav>',
      `<main>\n${main}</main>`,
    ],
  });

/**
 * Returns the page of the API reference. The page contains a static list of the operations. Readers
 * without JavaScript keep this list, and other readers see it until the renderer has loaded. The
 * browser loads the files of the renderer and the document in parallel.
 */
const referencePage = (
  operations: readonly ListedOperation[],
  script: Bundle,
  style: Bundle,
): string =>
  html({
    title: "API reference",
    head: [
      `<link rel="stylesheet" href="assets/${style.entry}">`,
      ...script.imports.map((name) => `<link rel="modulepreload" href="assets/${name}">`),
      '<link rel="preload" href="../v1/openapi.json" as="fetch" crossorigin="anonymous">',
      `<script type="module" src="assets/${script.entry}"></script>`,
    ],
    body: [
      '<main class="introduction">',
      "<h1>API reference</h1>",
      '<p><a href="../docs">Documentation</a> <a href="errors">Error codes</a> ' +
        '<a href="../dashboard">Dashboard</a></p>',
      "<noscript><p>This page needs JavaScript. Without it, read the " +
        '<a href="../v1/openapi.json">OpenAPI document</a>.</p></noscript>',
      ...operationLists(operations),
      "</main>",
      '<div id="reference"></div>',
    ],
  });

/** Returns, for each tag, the HTML of its list of operations, with links into the API reference. */
const operationLists = (operations: readonly ListedOperation[]): readonly string[] =>
  [...new Set(operations.map(({ tag }) => tag))].map((tag) => {
    const entries = operations
      .filter((operation) => operation.tag === tag)
      .map(({ key, summary }) => {
        const [method = "", path = ""] = key.split(" ");
        const href = `#tag/${tag.toLowerCase()}/${method}${path}`;
        return `<li><a href="${href}">${escapeHtml(summary)}</a> <code>${key}</code></li>`;
      });
    return `<h2>${tag}</h2>\n<ul>\n${entries.join("\n")}\n</ul>`;
  });

interface Parts {
  readonly title: string;
  readonly head: readonly string[];
  readonly body: readonly string[];
}

const html = ({ title, head, body }: Parts): string =>
  [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    // An empty icon, because the browser would otherwise request one.
    '<link rel="icon" href="data:,">',
    `<title>${escapeHtml(title)}</title>`,
    ...head,
    "</head>",
    "<body>",
    ...body,
    "</body>",
    "</html>",
    "",
  ].join("\n");
