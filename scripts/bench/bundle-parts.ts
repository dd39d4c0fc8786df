import type { Metafile } from "esbuild";

/** A file of a bundle, as esbuild describes it. */
export type Output = Metafile["outputs"][string];

/** A package, or a folder of the project, in a bundle. */
export interface BundlePart {
  readonly part: string;
  readonly bytes: number;
  /** The parts from the entry file to this one, in the order of their imports. */
  readonly imports: string;
}

/**
 * Returns the largest packages and folders in some files of a bundle, largest first.
 * @param metafile The description that esbuild wrote for the bundle.
 * @param outputs The files of the bundle to consider.
 * @param options.entry The path of the bundled module, relative to the root of the project.
 * @param options.count The maximum number of parts.
 */
export function largestParts(
  { inputs }: Pick<Metafile, "inputs">,
  outputs: readonly Output[],
  { entry, count }: { readonly entry: string; readonly count: number },
): BundlePart[] {
  const bytes = new Map<string, number>();
  const bundled = new Set<string>();
  for (const output of outputs) {
    for (const [path, { bytesInOutput }] of Object.entries(output.inputs)) {
      bytes.set(partOf(path), (bytes.get(partOf(path)) ?? 0) + bytesInOutput);
      if (bytesInOutput > 0) bundled.add(path);
    }
  }
  const importers = importersFrom(entry, inputs, (path) => bundled.has(path));
  return [...bytes]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([part, size]) => ({ part, bytes: size, imports: chainTo(part, importers) }));
}

/** Returns the package of a file, or the folder of a file of the project. */
function partOf(path: string): string {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  return name ?? path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

/**
 * For each file that `entry` imports, directly or through other files, returns the file that
 * imports it on the shortest path. Prefers paths without dynamic imports. Avoids project files that
 * contribute no code to the bundle.
 */
function importersFrom(
  entry: string,
  inputs: Metafile["inputs"],
  isBundled: (path: string) => boolean,
): ReadonlyMap<string, string | undefined> {
  const importers = new Map<string, string | undefined>([[entry, undefined]]);
  for (const isFollowed of [(kind: string) => kind !== "dynamic-import", () => true]) {
    for (const path of importers.keys()) {
      for (const { path: imported, kind } of inputs[path]?.imports ?? []) {
        const isPart = imported in inputs && (!isOwn(imported) || isBundled(imported));
        if (isPart && isFollowed(kind) && !importers.has(imported)) importers.set(imported, path);
      }
    }
  }
  return importers;
}

const isOwn = (path: string): boolean => !path.includes("node_modules/");

function chainTo(part: string, importers: ReadonlyMap<string, string | undefined>): string {
  const chain: string[] = [];
  let path = [...importers.keys()].find((file) => partOf(file) === part);
  while (path !== undefined) {
    const step = isOwn(path) ? path : partOf(path);
    if (chain[0] !== step) chain.unshift(step);
    path = importers.get(path);
  }
  return chain.join(" > ");
}
