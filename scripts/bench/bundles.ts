import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { bundling } from "../../lib/constructs/service-function.ts";
import { median } from "./median.ts";

export interface BundleFigures {
  readonly function: string;
  readonly kilobytes: number;
  readonly importMs: number;
  /** The import time of the bundle, divided by the import time of its SDK clients alone. */
  readonly importRatio: number | "no client";
  readonly clients: string;
}

const root = join(import.meta.dirname, "..", "..");
const rounds = 15;

/**
 * Measures the size and import time of each Lambda bundle. Compares each import time with the
 * import time of a bundle that contains only the SDK clients of the function.
 */
export async function benchBundles(): Promise<BundleFigures[]> {
  const dir = mkdtempSync(join(tmpdir(), "bundles-"));
  try {
    const figures: BundleFigures[] = [];
    const names = readdirSync(join(root, "functions"), { withFileTypes: true })
      .map(({ name }) => name)
      .filter((name) => existsSync(join(root, "functions", name, "handler.ts")));
    for (const name of names) {
      const entry = join(root, "functions", name, "handler.ts");
      const made = await bundle(entry, join(dir, `${name}.mjs`));
      figures.push(await measure({ name, dir, ...made }));
    }
    return figures;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

interface Bundle {
  readonly file: string;
  readonly bytes: number;
  readonly clients: readonly string[];
}

/** Bundles an entry point with the options of the CDK app. */
async function bundle(entry: string, file: string): Promise<Bundle> {
  const alias = Object.entries(bundling.esbuildArgs ?? {}).map(
    ([flag, to]) => [flag.replace("--alias:", ""), String(to)] as const,
  );
  const { metafile } = await build({
    entryPoints: [entry],
    outfile: file,
    absWorkingDir: root,
    bundle: true,
    minify: bundling.minify === true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: bundling.mainFields ?? ["module", "main"],
    banner: { js: bundling.banner ?? "" },
    alias: Object.fromEntries(alias),
    metafile: true,
    logLevel: "silent",
  });
  const [output] = Object.values(metafile.outputs);
  const used = Object.entries(output?.inputs ?? {})
    .filter(([, input]) => input.bytesInOutput > 0)
    .flatMap(([path]) => /@aws-sdk\/((?:client|lib)-[a-z0-9]+)\//.exec(path)?.[1] ?? []);
  return { file, bytes: output?.bytes ?? 0, clients: [...new Set(used)].toSorted() };
}

async function measure(one: Bundle & { name: string; dir: string }): Promise<BundleFigures> {
  const entry = join(root, "node_modules", `.bench-${one.name}.mjs`);
  const imports = one.clients.map((client, n) => `import * as c${n} from "@aws-sdk/${client}";`);
  const uses = one.clients.map((client, n) => `c${n}.${constructorOf(client)}`);
  writeFileSync(entry, `${imports.join("\n")}\nexport const clients = [${uses.join(", ")}];\n`);
  try {
    const floor = await bundle(entry, join(one.dir, `${one.name}-floor.mjs`));
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      times[0].push(await importMs(one.file));
      times[1].push(await importMs(floor.file));
    }
    const [mine, bare] = [median(times[0]), median(times[1])];
    return {
      function: one.name,
      kilobytes: Math.round(one.bytes / 1_000),
      importMs: Math.round(mine * 10) / 10,
      importRatio: one.clients.length === 0 ? "no client" : Math.round((mine / bare) * 100) / 100,
      clients: one.clients.join(" "),
    };
  } finally {
    rmSync(entry, { force: true });
  }
}

function constructorOf(client: string): string {
  const names: Record<string, string> = {
    "client-dynamodb": "DynamoDBClient",
    "lib-dynamodb": "DynamoDBDocumentClient",
    "client-sqs": "SQSClient",
    "client-s3": "S3Client",
    "client-kms": "KMSClient",
    "client-scheduler": "SchedulerClient",
  };
  return names[client] ?? "default";
}

/** Returns the milliseconds that a new process takes to import a module. */
async function importMs(file: string): Promise<number> {
  const script = `const t = performance.now(); await import(${JSON.stringify(pathToFileURL(file).href)}); console.log(performance.now() - t);`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "-e", script],
    {
      env: {},
    },
  );
  return Number(stdout);
}
