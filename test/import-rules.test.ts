import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { arrows, entryOf, leadsTo, mayImport } from "./import-rules.ts";
import { importsOf, projectFiles } from "./project-files.ts";

const root = join(import.meta.dirname, "..");
/** `[from, to]` of every import of one of the project's own files, including type imports. */
const imports = projectFiles.flatMap((path) =>
  importsOf(path)
    .filter(({ target }) => /^(clients|lib|functions|shared|tools|scripts|test)\//.test(target))
    .map(({ target }) => [path, target] as const),
);

describe("the import rules", () => {
  it("are checked for every import of the project", () => {
    expect(imports.length).toBeGreaterThan(6_000);
  });

  it("are followed by every import of the project", () => {
    const code = imports.filter(([, to]) => /\.tsx?$/.test(to));
    expect(
      code.filter(([from, to]) => !mayImport(from, to)).map((pair) => pair.join(" -> ")),
    ).toEqual([]);
  });

  it("name only files and folders that exist", () => {
    const ends = new Set([...Object.keys(arrows), ...Object.values(arrows).flat()]);
    expect([...ends].filter((end) => !projectFiles.some((file) => file.startsWith(end)))).toEqual(
      [],
    );
  });

  it("allow no import that the project does not use", () => {
    const importsByEntry = Map.groupBy(imports, ([from]) => entryOf(from));
    const leaving = (entry: string) =>
      (importsByEntry.get(entry) ?? []).map(([, to]) => to).filter((to) => entryOf(to) !== entry);
    const unused = Object.entries(arrows).flatMap(([entry, ends]) => {
      const targets = leaving(entry);
      return ends
        .filter((end) => !targets.some((to) => leadsTo(end, to)))
        .map((end) => `${entry} -> ${end}`);
    });
    expect(unused).toEqual([]);
  });

  it("have an entry for each folder in functions, scripts, shared, shared/aws, shared/sources and tools", () => {
    const folders = new Set(
      projectFiles.flatMap(
        (path) =>
          /^(?:shared\/(?:aws|sources)|functions|scripts|shared|tools)\/[^/]+\//.exec(path) ?? [],
      ),
    );
    expect(folders.size).toBeGreaterThan(70);
    expect([...folders].filter((folder) => !(folder in arrows))).toEqual([]);
  });

  it("allow no import of tools, commands or tests in deployed code", () => {
    const deployed = imports.filter(([from]) => /^(shared|functions|lib)\//.test(from));
    expect(deployed.filter(([, to]) => /^(tools|scripts|test)\//.test(to))).toEqual([]);
  });
});

it("the folder map of the README names every folder with code", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const folders = new Set(projectFiles.flatMap((path) => /^[^/.]+\//.exec(path) ?? []));
  expect(folders.size).toBeGreaterThan(5);
  expect([...folders].filter((folder) => !readme.includes(`| \`${folder}\``))).toEqual([]);
});

describe("docs/architecture.md", () => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");

  it("names every folder inside functions, lib, scripts, shared, test and tools", () => {
    const folders = new Set(projectFiles.flatMap((path) => /^[^/]+\/[^/]+(?=\/)/.exec(path) ?? []));
    expect(folders.size).toBeGreaterThan(70);
    const isNamed = (folder: string) =>
      page.includes(`\`${folder}\``) || page.includes(`\`${folder}/`);
    expect([...folders].filter((folder) => !isNamed(folder))).toEqual([]);
  });

  it("names every folder inside shared/aws, shared/sources and functions/dashboard/browser", () => {
    const inside = /^(?:shared\/(?:aws|sources)|functions\/dashboard\/browser)\/[^/]+(?=\/)/;
    const folders = new Set(projectFiles.flatMap((path) => inside.exec(path) ?? []));
    expect(folders.size).toBeGreaterThan(20);
    expect([...folders].filter((folder) => !page.includes(`\`${folder}`))).toEqual([]);
  });

  it("names only files and folders that exist", () => {
    const named = page.matchAll(/`((?:functions|lib|scripts|shared|test|tools)\/[\w./-]+)`/g);
    const paths = new Set([...named].map(([, path = ""]) => path));
    expect(paths.size).toBeGreaterThan(200);
    expect([...paths].filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("describes four walkthroughs, each with 12 to 20 numbered points that name a file", () => {
    const sections = page.split(/^### (?=\d)/m).slice(1);
    expect(sections).toHaveLength(4);
    for (const section of sections) {
      const points =
        section
          .split(/^##/m)[0]
          ?.split(/^(?=\d+\. )/m)
          .slice(1) ?? [];
      expect(points.length).toBeGreaterThanOrEqual(12);
      expect(points.length).toBeLessThanOrEqual(20);
      expect(points.filter((point) => !/`[\w/-]+\.ts`/.test(point))).toEqual([]);
    }
  });
});

describe("deployed code", () => {
  it("is imported, directly or indirectly, by a Lambda function, the CDK app or the dashboard", () => {
    const next = Map.groupBy(imports, ([from]) => from);
    const reached = new Set<string>([
      ...projectFiles.filter((path) => /^functions\/[\w-]+\/handler\.ts$/.test(path)),
      "functions/dashboard/browser/main.tsx",
      "lib/app.ts",
      // These files replace a package when functions are bundled.
      "shared/aws/sdk/environment-credentials.ts",
      "shared/aws/sdk/node-http.ts",
    ]);
    for (const path of reached) for (const [, to] of next.get(path) ?? []) reached.add(to);
    const unreached = projectFiles.filter(
      (path) => /^(shared|functions)\//.test(path) && !reached.has(path),
    );
    expect(unreached.filter((path) => !path.endsWith(".d.ts"))).toEqual([]);
  });
});
