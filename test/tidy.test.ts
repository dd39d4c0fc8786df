import { globSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { importsOf, projectFiles, textOf } from "./project-files.ts";
import { storeTests } from "./support/store-tests.ts";
import { filesOf } from "./test-options.ts";

const root = new URL("..", import.meta.url).pathname;

interface Source {
  /** Path from the root. */
  readonly path: string;
  readonly text: string;
  /** What the file imports: files of the project as paths from the root, and packages by name. */
  readonly imports: readonly string[];
}

const sources: readonly Source[] = projectFiles
  .filter((path) => path.endsWith(".ts"))
  .map((path) => {
    const text = textOf(path);
    return { path, text, imports: importsOf(path, text).map(({ target }) => target) };
  });

const domainOf = (path: string): string | undefined => /^shared\/([^/]+)\//.exec(path)?.[1];
/** Files in domain folders that connect to other systems than AWS, or write to the output. */
const adapters = new Set([
  "shared/observability/metric-line.ts",
  "shared/observability/service-logger.ts",
  "shared/outgoing/guarded-agents.ts",
  "shared/outgoing/guarded-connection.ts",
  "shared/outgoing/host-resolver.ts",
  "shared/outgoing/webhook-sender.ts",
]);
const isDomain = (path: string): boolean =>
  (domainOf(path) ?? "aws") !== "aws" && !adapters.has(path);
/** Returns the imports for which `allowed` returns false, as `file -> import`. */
function trespasses(allowed: (source: Source, target: string) => boolean): string[] {
  return sources.flatMap((source) =>
    source.imports
      .filter((target) => !allowed(source, target))
      .map((target) => `${source.path} -> ${target}`),
  );
}

describe("the imports of the project's files", () => {
  it("are detected, for example imports of the AWS SDK", () => {
    const imports = sources.flatMap((source) => source.imports);
    expect(imports.filter((target) => target.startsWith("@aws-sdk/")).length).toBeGreaterThan(20);
  });

  it("include no package of the AWS SDK in files of the domains", () => {
    expect(
      trespasses(
        ({ path }, target) =>
          !(isDomain(path) && /^@(aws-sdk|smithy|aws-lambda-powertools)\//.test(target)),
      ),
    ).toEqual([]);
  });
});

const byPath = new Map(sources.map((source) => [source.path, source]));
/** Returns the files that a test imports, directly or through other files of `test`. */
function importedBy(path: string, found = new Set<string>()): ReadonlySet<string> {
  for (const target of byPath.get(path)?.imports ?? []) {
    if (found.has(target)) continue;
    found.add(target);
    if (target.startsWith("test/")) importedBy(target, found);
  }
  return found;
}

describe("the configured test runs", () => {
  const runs = Object.values(filesOf).map(
    ({ include, exclude }) => new Set(globSync(include, { cwd: root, exclude })),
  );
  const tests = sources.map(({ path }) => path).filter((path) => path.endsWith(".test.ts"));

  it("include each test file once", () => {
    const wrong = tests.filter((path) => runs.filter((files) => files.has(path)).length !== 1);
    expect(tests.length).toBeGreaterThan(250);
    expect(wrong).toEqual([]);
  });

  it("run every test that changes the state of its process in a separate process", () => {
    const changing = [
      "tools/local/world.ts",
      "tools/local/aws-environment.ts",
      "test/sim/small-bounds.ts",
    ];
    const shared = globSync(filesOf.shared.include, { cwd: root, exclude: filesOf.shared.exclude });
    const found = shared.filter((path) => changing.some((file) => importedBy(path).has(file)));
    expect(found).toEqual([]);
  });
});

describe("the tests that run on both DynamoDB engines", () => {
  const startsTables = (path: string): boolean => importedBy(path).has("test/support/tables.ts");
  const inRun = new Set(storeTests);

  it("are exactly the adapter tests that create DynamoDB tables", () => {
    const found = sources
      .map(({ path }) => path)
      .filter((path) => /^test\/shared\/aws\/.*\.test\.ts$/.test(path) && startsTables(path));
    expect(found.filter((path) => !inRun.has(path))).toEqual([]);
    expect(storeTests.filter((path) => !startsTables(path))).toEqual([]);
  });

  it("cover every adapter that sends DynamoDB requests, and test each store in a separate file", () => {
    const used = new Set(
      sources
        .filter(({ path }) => /^(functions|scripts|tools)\//.test(path))
        .flatMap(({ imports }) => imports),
    );
    const speaking = sources
      .filter(({ path }) => domainOf(path) === "aws" && used.has(path))
      .filter(({ path }) => path !== "shared/aws/table/dynamo.ts")
      .filter(({ text }) => /^export function \w+(<.*>)?\(\s*client: DynamoDB/m.test(text))
      .map(({ path }) => path);
    expect(speaking.length).toBeGreaterThan(15);
    const imported = storeTests.map((path) => importedBy(path));
    expect(speaking.filter((path) => !imported.some((those) => those.has(path)))).toEqual([]);
    const own = (path: string): string => `test/${path.replace(/\.ts$/, ".test.ts")}`;
    const stores = speaking.filter((path) => path.endsWith("-store.ts"));
    expect(stores.filter((path) => !inRun.has(own(path)))).toEqual([]);
  });
});

describe("the code of the domains", () => {
  const banned: readonly [RegExp, string][] = [
    [/\bprocess\.env\b/, "take it as an argument"],
    [/\bDate\.now\(/, "take a Clock or a `now`"],
    [/\bnew Date\(\)/, "take a Clock or a `now`"],
    [/\bMath\.random\(/, "take a RandomSource"],
    [/\b(randomUUID|randomBytes)\(/, "take a RandomSource"],
    [/\bsetTimeout\(/, "take a Clock"],
    [/\bconsole\./, "return what happened"],
  ];
  const pure = sources.filter(
    ({ path }) =>
      isDomain(path) && path !== "shared/base/system.ts" && domainOf(path) !== "sources",
  );

  it.each(banned)("does not contain the pattern %s (instead: %s)", (pattern) => {
    expect(pure.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

describe("the files of the project", () => {
  it("are in no folder with a vague name", () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|types|models|services)(\/|\.ts$)/;
    expect(sources.filter(({ path }) => vague.test(path)).map(({ path }) => path)).toEqual([]);
  });

  it("contain no notes about unfinished work, and skip no test", () => {
    const marker = new RegExp(
      ["TO" + "DO", "FIX" + "ME", "X" + "XX"].map((word) => `\\b${word}\\b`).join("|"),
    );
    const focused = new RegExp(`\\b(it|describe|test)\\.(${"on" + "ly"}|${"sk" + "ip"})\\(`);
    expect(
      sources.filter(({ text }) => marker.test(text) || focused.test(text)).map(({ path }) => path),
    ).toEqual([]);
  });
});
