import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { templateCacheFile } from "./data-folder.ts";
import type { DataFolder } from "./data-folder.ts";
import { templateSchema } from "./template.ts";
import type { GivenContext } from "../../lib/context.ts";
import type { Stack } from "./template.ts";

const stackList = v.array(v.object({ name: v.string(), template: templateSchema }));
const cache = v.object({ key: v.string(), stacks: stackList });

const root = join(import.meta.dirname, "..", "..");
/** Files and folders that determine the content of the templates. */
const sources = [
  "lib",
  "shared/base",
  "shared/event-bus/event-bus.ts",
  "shared/observability/metric-names.ts",
  "functions/routes.ts",
  "functions/environment.ts",
  "cdk.json",
  "package-lock.json",
];

/**
 * Returns the stacks of the CDK app for a context, like `cdk synth`. Caches them in the data folder
 * until one of their source files changes, because loading the CDK is the slowest part of the
 * start.
 */
export async function synthesize(
  folder: DataFolder,
  context: GivenContext = {},
): Promise<readonly Stack[]> {
  const key = `${sourceKey()} ${JSON.stringify(context)}`;
  const cached = folder.read(templateCacheFile, cache);
  if (cached?.key === key) return cached.stacks;
  const { buildApp } = await import("../../lib/build-app.ts");
  const outdir = mkdtempSync(join(tmpdir(), "local-world-"));
  try {
    const assembly = buildApp({ bundle: false, outdir, context }).synth();
    const stacks = v.parse(
      stackList,
      assembly.stacks.map(({ stackName, template }) => ({ name: stackName, template })),
    );
    folder.write(templateCacheFile, { key, stacks });
    return stacks;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

function sourceKey(): string {
  const hash = createHash("sha256");
  for (const file of sources.flatMap(filesIn)) {
    hash
      .update(file)
      .update("\0")
      .update(readFileSync(join(root, file)))
      .update("\0");
  }
  return hash.digest("hex");
}

function filesIn(source: string): readonly string[] {
  if (/\.\w+$/.test(source)) return [source];
  return readdirSync(join(root, source), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}
