import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { buildSync, type Metafile, type OutputFile } from "esbuild";

/** A file that a page loads, with its name and its content. */
export interface Asset {
  readonly name: string;
  readonly content: string;
}

const folder = join(import.meta.dirname, "browser");
const root = join(import.meta.dirname, "../..");

/** A script or style sheet with the files that it loads. */
export interface Bundle {
  readonly entry: string;
  /** Files that the entry imports before it runs. */
  readonly imports: readonly string[];
  readonly assets: readonly Asset[];
}

/**
 * Bundles a file of `browser` with the files that it imports. The names of the assets contain a
 * digest of their content, so caches may keep them.
 * @throws Error if the bundle has no entry for the file
 */
export function bundleFile(file: string): Bundle {
  const { outputFiles, metafile } = buildSync({
    entryPoints: [join(folder, file)],
    bundle: true,
    splitting: file.endsWith(".ts"),
    minify: true,
    write: false,
    metafile: true,
    outdir: "out",
    entryNames: "[name]-[hash]",
    chunkNames: "[hash]",
    format: "esm",
    target: "es2022",
    legalComments: "none",
    // The package does not export its browser build.
    alias: {
      "@scalar/api-reference/browser": join(
        root,
        "node_modules/@scalar/api-reference/dist/browser/standalone.esm.js",
      ),
    },
    absWorkingDir: root,
    logLevel: "error",
  });
  const assets = outputFiles.map(asset);
  const stem = file.replace(/\.\w+$/, "");
  const entry = assets.find(({ name }) => name.startsWith(`${stem}-`));
  if (entry === undefined)
    throw new Error(
      `The bundle of ${file} has no file named ${stem}-*. Check the entry names of esbuild.`,
    );
  return { entry: entry.name, imports: importsOf(metafile, entry.name), assets };
}

/**
 * Returns the names of the files that a file imports statically, directly or through other files.
 */
function importsOf({ outputs }: Metafile, entry: string): readonly string[] {
  const byName = new Map(Object.entries(outputs).map(([path, one]) => [basename(path), one]));
  const files = new Set([entry]);
  for (const name of files) {
    for (const { path, kind } of byName.get(name)?.imports ?? []) {
      if (kind === "import-statement") files.add(basename(path));
    }
  }
  return [...files].filter((name) => name !== entry);
}

const asset = ({ path, text }: OutputFile): Asset => ({ name: basename(path), content: text });

/** Returns an asset named `<stem>-<digest of the content>.<suffix>`. */
export function namedAsset(stem: string, suffix: string, content: string): Asset {
  const digest = createHash("sha256").update(content).digest("base64url").slice(0, 10);
  return { name: `${stem}-${digest}.${suffix}`, content };
}
