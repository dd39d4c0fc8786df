import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Client } from "../../../clients/typescript/source/index.ts";
import { root } from "../../../scripts/clients/document.ts";
import { installClientPython } from "../../../scripts/clients/python.ts";
import { startContractWorld } from "../../../tools/contract/world.ts";
import { localCustomer } from "../../../tools/customer/bucket.ts";
import type { World } from "../../../tools/local/world.ts";

interface Operation {
  readonly operationId: string;
  readonly "x-codeSamples": readonly { readonly label: string; readonly source: string }[];
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const { paths } = JSON.parse(
  readFileSync(join(root, "functions/meta/generated/openapi.json"), "utf8"),
) as { readonly paths: Paths };

/** Operations that run last, because other operations would be refused after them. */
const later = new Set(["putS3Destination", "updateWebhookEndpoint", "runWatchlist"]);
const rankOf = (id: string, method: string): number =>
  method === "delete" ? 2 : Number(later.has(id));

/** All operations, in an order in which no operation deletes what a later operation needs. */
const operations = Object.values(paths)
  .flatMap((methods) => Object.entries(methods))
  .map(([method, operation]) => ({ operation, rank: rankOf(operation.operationId, method) }))
  .toSorted((one, other) => one.rank - other.rank)
  .map(({ operation }) => operation);

/** By operation: the error code with which the local world refuses the example values. */
const refused: Readonly<Record<string, string>> = {
  readStructured: "NOT_IMPLEMENTED",
  readStructuredByBody: "NOT_IMPLEMENTED",
  // No run is held, and small back-tests create no job.
  releaseWatchlistRun: "CONFLICT",
  discardWatchlistRun: "CONFLICT",
  getBacktest: "NOT_FOUND",
  // The bucket and the access key in the example are invented.
  putS3Destination: "INVALID_PARAM",
};

let world: World;
beforeAll(async () => {
  world = await startContractWorld();
});
afterAll(() => world.stop());

/**
 * Creates the resources that the samples name. Returns the ID for each prefix of the example IDs.
 */
async function createResources(): Promise<Readonly<Record<string, string>>> {
  const client = new Client({ baseUrl: world.baseUrl, apiKey: world.apiKey });
  const { id: we } = await client.call("createWebhookEndpoint", {
    body: { url: `${world.receiverUrl}/hooks/samples-${Date.now()}` },
  });
  await client.call("putS3Destination", {
    body: {
      bucket: world.customerBucket,
      region: "us-east-1",
      endpoint: world.bucketEndpoint,
      force_path_style: true,
      auth: "access_key",
      access_key_id: localCustomer.accessKeyId,
      secret_access_key: localCustomer.secretAccessKey,
    },
  });
  const { id: key } = await client.call("createApiKey", { body: { name: "samples" } });
  const { id: wl } = await client.call("createWatchlist", {
    body: {
      name: "Samples",
      platform: "retailer_d",
      ids: ["9000000", "9000001"],
      every: "1h",
      webhook_endpoint_id: we,
    },
  });
  const completed = async (): Promise<number> => {
    const { data } = await client.call("listWatchlistRuns", { path: { id: wl } });
    return data.filter(({ status }) => status === "completed").length;
  };
  await expect.poll(completed).toBe(1);
  await client.call("runWatchlist", { path: { id: wl } });
  await expect.poll(completed).toBe(2);
  const delivered = async () => {
    const query = { state: "delivered" } as const;
    const path = { id: we };
    return (await client.call("listWebhookEndpointDeliveries", { path, query })).data;
  };
  await expect.poll(async () => (await delivered()).length).toBeGreaterThan(0);
  const [first] = await delivered();
  return { we, wl, key, dlv: first?.id ?? "", evt: first?.event_id ?? "" };
}

/**
 * Writes the samples of a language into files, with IDs of the world instead of the example IDs.
 * Returns the names of the files by operation.
 */
async function writeSamples(
  folder: string,
  language: string,
  nameOf: (operation: string) => string,
): Promise<Record<string, string>> {
  const ids = await createResources();
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const source = JSON.stringify(join(root, "clients/typescript/source/index.ts"));
  const files: Record<string, string> = {};
  for (const { operationId, "x-codeSamples": samples } of operations) {
    const sample = samples.find(({ label }) => label === language)?.source ?? "";
    expect(sample, operationId).not.toBe("");
    const file = join(folder, nameOf(operationId));
    files[operationId] = file;
    writeFileSync(
      file,
      `${sample}\n`
        .replaceAll(
          /\b(we|wl|key|dlv|evt)_[0-9a-z]{24}\b/g,
          (all, kind: string) => ids[kind] ?? all,
        )
        .replaceAll("2026-11-20T00:00:00Z", anHourAgo)
        .replaceAll("https://receiver.example.com", `${world.receiverUrl}/${language}`)
        .replaceAll('"retail-product-data"', source),
    );
  }
  return files;
}

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "samples-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Runs a program that runs all samples. Returns `ok` or the code of the error by operation. */
async function runSamples(
  command: string,
  { folder, program, files }: { folder: string; program: string; files: object },
): Promise<unknown> {
  writeFileSync(join(folder, "files.json"), JSON.stringify(files));
  const runner = join(folder, "runner");
  writeFileSync(runner, program);
  await promisify(execFile)(command, [runner], {
    cwd: folder,
    maxBuffer: 100_000_000,
    env: {
      ...process.env,
      RPD_BASE_URL: world.baseUrl,
      RPD_API_KEY: world.apiKey,
      PYTHONPATH: join(root, "clients/python"),
      PYTHONDONTWRITEBYTECODE: "1",
    },
  });
  return JSON.parse(readFileSync(join(folder, "results.json"), "utf8"));
}

const expected = Object.fromEntries(
  operations.map(({ operationId }) => [operationId, refused[operationId] ?? "ok"]),
);

const typescriptRunner = `
const { readFileSync, writeFileSync } = require("node:fs");
(async () => {
  const results = {};
  for (const [operation, file] of Object.entries(JSON.parse(readFileSync("files.json", "utf8"))))
    results[operation] = await import(file).then(() => "ok", (error) => error.code ?? String(error));
  writeFileSync("results.json", JSON.stringify(results));
})();
`;
const pythonRunner = `
import json
from retail_product_data import ApiError
results = {}
for operation, file in json.load(open("files.json")).items():
    try:
        exec(compile(open(file).read(), file, "exec"), {})
        results[operation] = "ok"
    except ApiError as error:
        results[operation] = error.code
    except Exception as error:
        results[operation] = repr(error)
json.dump(results, open("results.json", "w"))
`;

describe("the code samples of the API reference", () => {
  it("in TypeScript compile under strict rules, and call every API operation", async () => {
    const folder = newFolder();
    const files = await writeSamples(folder, "TypeScript", (id) => `${id}.mts`);
    const rules = ["--strict", "--noEmit", "--target", "esnext", "--module", "nodenext"];
    const types = [
      "--allowImportingTsExtensions",
      "--typeRoots",
      join(root, "node_modules/@types"),
    ];
    const settings = ["--ignoreConfig", "--moduleDetection", "force", "--types", "node"];
    const compiler = join(root, "node_modules/.bin/tsc");
    const args = [...rules, ...types, ...settings, ...Object.values(files)];
    await promisify(execFile)(compiler, args).catch((error: { readonly stdout: string }) => {
      throw new Error(error.stdout);
    });
    const program = typescriptRunner;
    expect(await runSamples(process.execPath, { folder, program, files })).toEqual(expected);
  });

  it("in Python call every API operation", async ({ skip }) => {
    const python = await installClientPython();
    if (python.outcome === "absent") {
      skip(`The samples in Python did not run: ${python.why}`);
      return;
    }
    const folder = newFolder();
    const files = await writeSamples(folder, "Python", (id) => `${id}.py`);
    const program = pythonRunner;
    expect(await runSamples(python.python, { folder, program, files })).toEqual(expected);
  });
});
