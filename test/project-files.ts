import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const root = join(import.meta.dirname, "..");

/** The TypeScript files of the project, as paths from its root. */
export const projectFiles: readonly string[] = [
  "lib",
  "functions",
  "shared",
  "tools",
  "scripts",
  "test",
  "clients/typescript/source",
].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name}`)
    .filter((path) => /\.tsx?$/.test(path)),
);

/** Returns the text of a file. */
export const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

export interface Import {
  /** A file of the project as a path from its root, or the name of a package. */
  readonly target: string;
  /** True for `import type` and `export type`, which do not exist when the code runs. */
  readonly isType: boolean;
}

/** Returns the imports of a file. They include `import()` and exports from other files. */
export function importsOf(path: string, text = textOf(path)): Import[] {
  const statements = text.matchAll(
    /^\s*(?:import|export)\b(?<type>\s+type\b)?[^;"']*?(?:from\s+)?["'](?<name>[^"']+)["']/gm,
  );
  const dynamic = text.matchAll(/\bimport\(\s*["'](?<name>[^"']+)["']\s*\)/g);
  return [...statements, ...dynamic].map(({ groups = {} }) => {
    const { name = "", type } = groups;
    const target = name.startsWith(".") ? normalize(join(dirname(path), name)) : name;
    return { target, isType: type !== undefined };
  });
}
