import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { coveredBy, openedInBrowser, runBy } from "./covered-by.ts";
import { importsOf, projectFiles, textOf } from "./project-files.ts";

const root = join(import.meta.dirname, "..");
const inProject = new Set(projectFiles);

/** Returns true if a file has code that exists at run time, and not only types. */
function hasCode(path: string): boolean {
  const { program } = parseSync(path, textOf(path));
  return program.body.some((statement) => {
    if (statement.type === "ImportDeclaration" || statement.type.startsWith("TS")) return false;
    if (statement.type !== "ExportNamedDeclaration") return true;
    const { declaration, exportKind, source } = statement;
    const isType = exportKind === "type" || declaration?.type.startsWith("TS") === true;
    return !isType && source === null;
  });
}

const withCode = projectFiles.filter(
  (path) =>
    /^(functions|lib|shared|tools)\//.test(path) && !path.endsWith(".d.ts") && hasCode(path),
);
const mirrors = (path: string): string[] =>
  ["", ".property", ".slow"].map((kind) => `test/${path.replace(/\.tsx?$/, "")}${kind}.test.ts`);
const isMirrored = (path: string): boolean => mirrors(path).some((test) => inProject.has(test));

/** `[file, test]` of every file that `coveredBy` names. */
const entries = Object.entries(coveredBy).flatMap(([folder, tests]) =>
  Object.entries(tests).flatMap(([test, names]) =>
    names.map((name) => {
      const path = `${folder}${name}`;
      return [inProject.has(`${path}.ts`) ? `${path}.ts` : `${path}.tsx`, test] as const;
    }),
  ),
);
const folderOf = (path: string): string | undefined =>
  Object.keys(openedInBrowser)
    .filter((folder) => path.startsWith(folder))
    .toSorted((one, other) => other.length - one.length)[0];

const lambdas = projectFiles.filter((path) => /^functions\/[\w-]+\/handler\.ts$/.test(path));
/** For each file, the files that run when it is imported: its imports, without type imports. */
const runtimeImports = new Map(
  projectFiles.map((path) => [
    path,
    [
      ...importsOf(path).flatMap(({ target, isType }) => (isType ? [] : [target])),
      // This file imports the handlers of all Lambdas by paths that it computes from their names.
      ...(path === "tools/local/lambda-host.ts" ? lambdas : []),
    ],
  ]),
);
const reachedBy = new Map<string, ReadonlySet<string>>();
/** Returns the files to which the imports of a test lead. */
function reached(test: string): ReadonlySet<string> {
  const known = reachedBy.get(test);
  if (known !== undefined) return known;
  const found = new Set([test]);
  for (const path of found) for (const to of runtimeImports.get(path) ?? []) found.add(to);
  reachedBy.set(test, found);
  return found;
}

describe("test/covered-by.ts, the list of tests by source file,", () => {
  it("names a test for each source file that has code but no test at the same path below test/", () => {
    expect(withCode.length).toBeGreaterThan(850);
    const named = new Set([...entries.map(([file]) => file), ...Object.keys(runBy)]);
    expect(
      withCode.filter(
        (path) => !isMirrored(path) && !named.has(path) && folderOf(path) === undefined,
      ),
    ).toEqual([]);
  });

  it("lists each source file at most once, and only files that have code but no test at the same path below test/", () => {
    const named = [...entries.map(([file]) => file), ...Object.keys(runBy)];
    expect(named.filter((file, n) => named.indexOf(file) !== n)).toEqual([]);
    const wanted = new Set(withCode.filter((path) => !isMirrored(path)));
    expect(named.filter((file) => !wanted.has(file))).toEqual([]);
    const folders = Object.keys(openedInBrowser);
    expect(folders.filter((folder) => !withCode.some((path) => folderOf(path) === folder))).toEqual(
      [],
    );
  });

  it("names only tests and checks that exist", () => {
    const tests = new Set([...entries.map(([, test]) => test), ...Object.values(openedInBrowser)]);
    expect([...tests].filter((test) => !test.endsWith(".test.ts") || !inProject.has(test))).toEqual(
      [],
    );
    expect(Object.values(runBy).filter((check) => !existsSync(join(root, check)))).toEqual([]);
  });

  it("names only tests that import the listed source file, directly or indirectly", () => {
    expect(
      entries
        .filter(([file, test]) => !reached(test).has(file))
        .map(([file, test]) => `${test} does not import ${file}`),
    ).toEqual([]);
  });
});
