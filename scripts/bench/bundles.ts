import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { sandboxSources } from "../../lib/config.ts";
import { bundleEntry, writeBundle } from "../../lib/constructs/function-bundle.ts";
import { printTable } from "../measure/print-table.ts";
import { largestParts, type Output } from "./bundle-parts.ts";
import { median } from "./median.ts";

interface BundleMetrics {
  readonly function: string;
  /** Kilobytes of code that a cold start loads, before the first event. */
  readonly kilobytes: number;
  /** Kilobytes of code that load when the function first needs them. */
  readonly onFirstUse: number;
  readonly importMs: number;
  /** The import time, divided by the import time of the SDK clients that a cold start loads. */
  readonly importRatio: number | "no client";
  readonly clients: string;
}

/** One of the largest parts of a bundle: a package, or a folder of the project. */
interface PartMetrics {
  readonly function: string;
  readonly part: string;
  readonly kilobytes: number;
  /** The files from the handler to the first file of the part, in the order of their imports. */
  readonly imports: string;
}

const root = join(import.meta.dirname, "..", "..");
const rounds = 15;
const partsShown = 5;

/**
 * Measures what each function loads at a cold start: its size, its largest parts and its import
 * time. Compares the import time with the time of a bundle that contains only the SDK clients.
 * @returns The rows of two tables: one row for each function in `bundles`, and one for each large
 * part in `parts`.
 */
export async function benchBundles(): Promise<{
  readonly bundles: BundleMetrics[];
  readonly parts: PartMetrics[];
}> {
  const dir = mkdtempSync(join(tmpdir(), "bundles-"));
  try {
    const bundles: BundleMetrics[] = [];
    const parts: PartMetrics[] = [];
    const names = readdirSync(join(root, "functions")).filter((name) =>
      existsSync(join(root, "functions", name, "handler.ts")),
    );
    for (const name of names) {
      const folder = join(dir, name);
      const metafile = writeBundle(join(root, "functions", name, "handler.ts"), folder);
      const loaded = await filesAtColdStart(folder);
      const outputs = Object.entries(metafile.outputs).map(
        ([path, output]) => [basename(path), output] as const,
      );
      const atColdStart = outputs.filter(([file]) => loaded.has(file)).map(([, output]) => output);
      const bytes = sum(atColdStart.map((output) => output.bytes));
      const all = sum(outputs.map(([, output]) => output.bytes));
      const entry = `functions/${name}/handler.ts`;
      for (const { part, bytes: size, imports } of largestParts(metafile, atColdStart, {
        entry,
        count: partsShown,
      })) {
        parts.push({ function: name, part, kilobytes: kilobytes(size), imports });
      }
      bundles.push({
        function: name,
        kilobytes: kilobytes(bytes),
        onFirstUse: kilobytes(all - bytes),
        ...(await importMetrics(folder, clientsIn(atColdStart))),
      });
    }
    return { bundles, parts };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const kilobytes = (bytes: number): number => Math.round(bytes / 1_000);
const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

/** Returns the names of the SDK clients whose code is in the files. */
function clientsIn(outputs: readonly Output[]): readonly string[] {
  const used = outputs
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([path]) => /@aws-sdk\/((?:client|lib)-[a-z0-9-]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(used)].toSorted();
}

async function importMetrics(
  folder: string,
  clients: readonly string[],
): Promise<Pick<BundleMetrics, "importMs" | "importRatio" | "clients">> {
  const floor = clientsBundle(folder, clients);
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    times[0].push(await importMs(folder));
    times[1].push(await importMs(floor));
  }
  const [own, bare] = [median(times[0]), median(times[1])];
  return {
    importMs: Math.round(own * 10) / 10,
    importRatio: clients.length === 0 ? "no client" : Math.round((own / bare) * 100) / 100,
    clients: clients.join(" "),
  };
}

/** Bundles only the SDK clients. Returns the folder of the bundle. */
function clientsBundle(folder: string, clients: readonly string[]): string {
  const entry = join(root, "node_modules", `.bench-${basename(folder)}.mjs`);
  const imports = clients.map((client, n) => `import * as c${n} from "@aws-sdk/${client}";`);
  const uses = clients.map((client, n) => `c${n}.${constructorOf(client)}`);
  writeFileSync(entry, `${imports.join("\n")}\nexport const clients = [${uses.join(", ")}];\n`);
  try {
    writeBundle(entry, `${folder}-floor`);
    return `${folder}-floor`;
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
    "client-secrets-manager": "SecretsManagerClient",
    "client-ssm": "SSMClient",
    "client-sts": "STSClient",
  };
  const name = names[client];
  if (name === undefined)
    throw new Error(
      `The bench does not know the constructor of the SDK client ${client}. Add it to scripts/bench/bundles.ts.`,
    );
  return name;
}

/** Returns the names of the files that a new process loads when it imports a bundle. */
async function filesAtColdStart(folder: string): Promise<ReadonlySet<string>> {
  const loaded = await inNewProcess(`
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    await import(${entryUrl(folder)});
    console.log(JSON.stringify(loaded));`);
  return new Set((JSON.parse(loaded) as string[]).map((url) => basename(url)));
}

/**
 * Returns the CPU time in milliseconds that a new process takes to import a bundle. CPU time is
 * measured instead of elapsed time, because Lambda limits it and other processes of this machine
 * affect it least.
 */
const importMs = async (folder: string): Promise<number> =>
  Number(
    await inNewProcess(`
      const before = process.cpuUsage();
      await import(${entryUrl(folder)});
      const { user, system } = process.cpuUsage(before);
      console.log((user + system) / 1_000);`),
  );

const entryUrl = (folder: string): string =>
  JSON.stringify(pathToFileURL(join(folder, bundleEntry)).href);

/**
 * Runs a script in a new process that uses the sandbox as the source of every platform. Returns
 * what the script prints.
 */
async function inNewProcess(script: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "-e", script],
    { env: { SOURCES: JSON.stringify(sandboxSources) } },
  );
  return stdout;
}

/** Prints the result of `benchBundles` to stdout as tables. */
export function printBundles(tables: Record<string, unknown>): void {
  for (const [title, rows] of Object.entries(tables)) printTable(title, rows as readonly object[]);
}
