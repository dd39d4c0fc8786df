import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";

const browser = join(import.meta.dirname, "../../functions/dashboard/browser");

interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Builds the dashboard. Returns the path and the text of its generated file, which is committed so
 * that a deployment does not need the build tools.
 */
export function dashboardAssets(): GeneratedFile {
  const { js, css } = bundle(join(browser, "main.tsx"));
  const script = nameAsset("app", "js", { type: "text/javascript; charset=utf-8", text: js });
  const style = nameAsset("app", "css", { type: "text/css; charset=utf-8", text: css });
  const icon = nameAsset("icon", "svg", {
    type: "image/svg+xml",
    text: readFileSync(join(browser, "icon.svg"), "utf8").trim(),
  });
  const files = Object.fromEntries([script, style, icon]);
  const index = page({ script: script[0], style: style[0], icon: icon[0] });
  return {
    path: join(browser, "../generated/assets.json"),
    text: `${JSON.stringify({ index, files }, null, 2)}\n`,
  };
}

interface Asset {
  readonly type: string;
  readonly text: string;
}

/**
 * Returns an asset with its file name. The name contains a hash of the content, so browsers may
 * cache the file without a time limit.
 */
function nameAsset(stem: string, suffix: string, asset: Asset): readonly [string, Asset] {
  const digest = createHash("sha256").update(asset.text).digest("base64url").slice(0, 10);
  return [`${stem}-${digest}.${suffix}`, asset];
}

/**
 * Bundles an entry point with its imports into one script and one style sheet. `js` or `css` is
 * empty if the entry point has no script or no styles.
 */
export function bundle(entryPoint: string): { readonly js: string; readonly css: string } {
  const { outputFiles } = buildSync({
    entryPoints: [entryPoint],
    bundle: true,
    minify: true,
    write: false,
    outdir: "out",
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    // esbuild writes relative paths into its output, so a fixed folder makes the output equal on
    // every machine.
    absWorkingDir: browser,
  });
  const ending = (suffix: string): string =>
    outputFiles.find(({ path }) => path.endsWith(suffix))?.text.trim() ?? "";
  return { js: ending(".js"), css: ending(".css") };
}

/**
 * Returns the HTML page. Its links are relative to `/dashboard`, because a stage or a custom domain
 * may add a path before `/dashboard`.
 */
const page = (names: { script: string; style: string; icon: string }): string =>
  [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<link rel="icon" type="image/svg+xml" href="dashboard/${names.icon}">`,
    `<link rel="stylesheet" href="dashboard/${names.style}">`,
    `<script type="module" src="dashboard/${names.script}"></script>`,
    "<title>Dashboard</title>",
    "</head>",
    "<body>",
    '<div id="app"></div>',
    "<noscript><p>The dashboard needs JavaScript. The API works without the dashboard.</p></noscript>",
    "</body>",
    "</html>",
    "",
  ].join("\n");
