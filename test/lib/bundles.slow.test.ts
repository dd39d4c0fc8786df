import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { environment, type FunctionName } from "../../functions/environment.ts";
import { groups } from "../../functions/routes.ts";
import { buildApp } from "../../lib/build-app.ts";
import { sandboxSources } from "../../lib/config.ts";
import { nameOf, type Resource } from "./synthesize.ts";

/**
 * The maximum of the code that each function loads at a cold start, in kilobytes.
 * docs/performance.md explains each value above 450 KB.
 */
const kilobytesMax: Readonly<Record<FunctionName, number>> = {
  account: 397,
  "backtest-runner": 421,
  dashboard: 435,
  delivery: 386,
  events: 376,
  mcp: 1130,
  meta: 300,
  offers: 434,
  platforms: 315,
  products: 433,
  "run-finisher": 419,
  "run-starter": 451,
  "run-step": 492,
  "s3-destination": 401,
  structured: 308,
  sweeper: 349,
  watchlists: 511,
  "webhook-endpoints": 406,
};

interface Loaded {
  /** The value that the bundle exports as `handler`. */
  readonly handler: string;
  readonly isStreaming: boolean;
  /** The files of the bundle that the import of its entry loads. */
  readonly files: readonly string[];
}

describe("the bundles of the Lambda functions", () => {
  const names = Object.keys(environment) as FunctionName[];
  let outdir: string;
  const folders = new Map<FunctionName, string>();
  const loaded = new Map<FunctionName, Loaded>();
  const folderOf = (name: FunctionName): string => folders.get(name) ?? "";
  beforeAll(() => {
    outdir = mkdtempSync(join(tmpdir(), "bundles-"));
    buildApp({ outdir, context: { stage: "dev" }, bundle: true }).synth();
    const template = readFileSync(
      join(outdir, "RetailProductData-dev-service.template.json"),
      "utf8",
    );
    const { Resources } = JSON.parse(template) as { Resources: Record<string, Resource> };
    for (const { Type, Properties } of Object.values(Resources)) {
      if (Type !== "AWS::Lambda::Function" || !("Environment" in Properties)) continue;
      const { S3Key } = Properties["Code"] as { readonly S3Key: string };
      const folder = join(outdir, `asset.${S3Key.replace(/\.zip$/, "")}`);
      const name = nameOf(Properties) as FunctionName;
      folders.set(name, folder);
      loaded.set(name, load(folder));
    }
  });
  afterAll(() => rmSync(outdir, { recursive: true }));

  it("can each be loaded as a module in Node without other files, and export a handler", () => {
    expect([...loaded.keys()].toSorted()).toEqual(names.toSorted());
    for (const { handler } of loaded.values()) expect(handler).toBe("function");
  });

  it("include generated files only in the functions that serve these files", () => {
    for (const name of names) {
      const isServing = Object.entries(groups).some(
        ([group, settings]) => group === name && "readsGeneratedFiles" in settings,
      );
      const source = new URL(`../../functions/${name}/generated`, import.meta.url).pathname;
      const copy = join(folderOf(name), "generated");
      expect(existsSync(copy) ? filesIn(copy) : [], name).toEqual(isServing ? filesIn(source) : []);
    }
  });

  it("export the handler of a streaming function without a wrapper", () => {
    const marked = [...loaded.values()].filter(({ isStreaming }) => isStreaming);
    const streaming = Object.values(groups).filter((group) => group.streaming);
    expect(marked).toHaveLength(streaming.length);
  });

  it.each(Object.entries(kilobytesMax) as [FunctionName, number][])(
    "load, for the function '%s', at most %i KB of code at a cold start",
    (name, max) => {
      const files = loaded.get(name)?.files ?? [];
      const sizes = files.map((file) => readFileSync(join(folderOf(name), file)).length);
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      expect(bytes).toBeGreaterThan(0);
      expect(Math.ceil(bytes / 1_000)).toBeLessThanOrEqual(max);
    },
  );
});

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();

/** Loads the bundle as Lambda does: in a process that cannot reach this repository's packages. */
function load(folder: string): Loaded {
  const variables = Object.values(environment)
    .flat()
    .map((name) => [name, "x"]);
  const stdout = execFileSync(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `import { registerHooks } from "node:module";
       const files = [];
       registerHooks({ load: (url, context, next) => { files.push(url); return next(url, context); } });
       globalThis.awslambda = { streamifyResponse: (handler) => Object.assign(handler, { isStreaming: true }) };
       const { handler } = await import(${JSON.stringify(pathToFileURL(join(folder, "index.mjs")))});
       const { isStreaming = false } = handler;
       process.stdout.write(JSON.stringify({ handler: typeof handler, isStreaming, files }));`,
    ],
    {
      encoding: "utf8",
      cwd: tmpdir(),
      env: {
        ...(Object.fromEntries(variables) as Record<string, string>),
        AWS_REGION: "us-east-1",
        SOURCES: JSON.stringify(sandboxSources),
        RESPONSE_MODE: "stream",
      },
    },
  );
  const { files, ...found } = JSON.parse(stdout) as Loaded;
  const own = files.filter((url) => url.startsWith("file:")).map((url) => basename(url));
  return { ...found, files: own };
}
