import { join } from "node:path";
import { buildSync } from "esbuild";
import { delistingIds, reservedIds } from "../../shared/scrapers/reserved-ids.ts";
import { errorGuide } from "../../tools/documents/error-guide.ts";
import { escape, type Page, page, prose } from "./html.ts";
import { refusalOrder } from "../../tools/documents/refusal-order.ts";
import { upstreamMain } from "./upstream-page.ts";

/** The pages of the documentation by name: `/docs`, and `/docs/<name>` for the others. */
export function docsPages(): Readonly<Record<"docs" | "errors" | "sandbox" | "upstream", Page>> {
  const style = bundled("style.css");
  return {
    docs: page({
      title: "API documentation",
      main: docsMain,
      style,
      script: bundled("browser/main.ts"),
    }),
    errors: page({ title: "Error codes", main: errorsMain(), style }),
    sandbox: page({ title: "Sandbox ids", main: sandboxMain(), style }),
    upstream: page({ title: "Your own source", main: upstreamMain(backLink), style }),
  };
}

/** A style sheet or script as the page carries it. */
function bundled(path: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(import.meta.dirname, path)],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
  });
  return outputFiles[0]?.text.trim() ?? "";
}

const docsMain = [
  "<main id=docs>",
  "<h1>Retail product data service</h1>",
  "<p><a href=dashboard>Dashboard</a> <a href=v1/openapi.json>OpenAPI document</a> <a href=docs/errors>Error codes</a> " +
    "<a href=docs/sandbox>Sandbox ids</a> <a href=docs/upstream>Your own source</a></p>",
  "<noscript><p>This page shows the OpenAPI document with a script. Without scripts, read the " +
    "document itself.</p></noscript>",
  "</main>",
].join("\n");

const backLink = "<p><a href=../docs>API documentation</a></p>";

function errorsMain(): string {
  const entries = Object.entries(errorGuide).map(([code, { status, meaning, remedy, retry }]) =>
    [
      `<section id="${escape(code)}">`,
      `<h2><a href="#${escape(code)}">${escape(code)}</a> <small>HTTP ${escape(status)}</small></h2>`,
      `<p>${prose(meaning)}</p>`,
      `<p><b>What to do:</b> ${prose(remedy)}</p>`,
      `<p><b>Retry:</b> ${prose(retryAdvice(retry))}.</p>`,
      "</section>",
    ].join("\n"),
  );
  return [
    "<main>",
    "<h1>Error codes</h1>",
    backLink,
    `<p>${prose(
      "Every error has one shape: `{error: {code, message, param?, docs}}`. Branch on `code`; " +
        "`message` may be reworded. An item that could not be read is no error: it is " +
        "`unavailable` in a 200, is refunded, and may be read again later.",
    )}</p>`,
    "<h2>Which error comes first</h2>",
    `<p>${prose("A call that is wrong in several respects gets the first error of this table.")}</p>`,
    "<table><thead><tr><th>HTTP</th><th>code</th><th>when</th></tr></thead><tbody>",
    ...refusalOrder.map(
      ({ status, codes, when }) =>
        `<tr><td>${escape(status)}</td><td>${codes.map((code) => prose(`\`${code}\``)).join(", ")}</td>` +
        `<td>${prose(when)}</td></tr>`,
    ),
    "</tbody></table>",
    ...entries,
    "</main>",
  ].join("\n");
}

function retryAdvice(retry: boolean | string): string {
  if (typeof retry === "string") return retry;
  return retry ? "yes, with exponential backoff" : "no; change the request first";
}

function sandboxMain(): string {
  const platforms = Object.entries(reservedIds).map(([platform, ids]) => {
    const form = delistingIds[platform as keyof typeof delistingIds];
    const rows = [
      ...ids.map(({ id, description }) => ({ id, description })),
      { id: form.pattern.source.replaceAll(/[\^$()]/g, ""), description: form.description },
    ];
    return [
      `<section id="${escape(platform)}">`,
      `<h2>${escape(platform)}</h2>`,
      "<table><thead><tr><th>id</th><th>what it does</th></tr></thead><tbody>",
      ...rows.map(
        ({ id, description }) =>
          `<tr><td><code>${escape(id)}</code></td><td>${prose(description)}</td></tr>`,
      ),
      "</tbody></table>",
      "</section>",
    ].join("\n");
  });
  return [
    "<main>",
    "<h1>Sandbox ids</h1>",
    backLink,
    `<p>${prose(
      "Where the sandbox answers, these ids behave by script, so that you can test what real shops " +
        "do seldom. Every other well-formed id belongs to an invented catalogue whose prices and " +
        "stock move. Reads are charged like any other.",
    )}</p>`,
    ...platforms,
    "</main>",
  ].join("\n");
}
