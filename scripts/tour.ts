/**
 * Walks the whole line, twice: from a new account to a signed webhook and an object in the
 * customer's bucket, with the sandbox and with a products API replayed on this machine.
 * `npm run tour [-- --recordings <folder of recorded replies>]`
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { SourceChoice } from "./local/sources.ts";
import { startWorld } from "./local/world.ts";
import { loadRecordedProducts, startReplayCatalog } from "./replay-catalog.ts";
import { type Narrator, narrator } from "./tour/narrator.ts";
import { type Ground, walk } from "./tour/walk.ts";

/** The price of the first follows the millisecond; the others stand still. */
const sandboxIds = ["9000001", "9000000", "9000003", "9000007"] as const;
const recordedItems = 12;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { recordings: { type: "string" } } });
  process.env["POWERTOOLS_LOG_LEVEL"] ??= "WARN";
  const started = Date.now();
  const tell = narrator(process.stdout);
  await tourSandbox(tell);
  await tourReplayedCatalog(values.recordings, tell);
  const seconds = ((Date.now() - started) / 1_000).toFixed(1);
  process.stdout.write(`\nThe tour is over: ${tell.checks()} checks held, ${seconds} s.\n`);
}

async function tourSandbox(tell: Narrator): Promise<void> {
  tell.title("1 of 2: with the sandbox");
  await inFreshWorld([], tell, async (world) => {
    await walk({ ...world, ids: sandboxIds, movePrice: () => {} }, tell);
  });
}

async function tourReplayedCatalog(folder: string | undefined, tell: Narrator): Promise<void> {
  tell.title("2 of 2: with a products API, replayed");
  const recorded = await loadRecordedProducts(folder);
  tell.say(`${recorded.products.length} products, ${recorded.origin}`);
  const replay = await startReplayCatalog({ products: recorded.products });
  const source = { target: "retailer_d", adapter: "d_catalog", baseUrl: replay.url };
  const [first = "", ...rest] = recorded.products
    .slice(0, recordedItems)
    .map((product) => String(product.sku));
  const movePrice = (): void => {
    const price = Number(recorded.products[0]?.salePrice) + 1;
    replay.setPrice(first, price);
    tell.say(`the source now says ${price} for ${first}`);
  };
  try {
    await inFreshWorld([source], tell, async (world) => {
      await walk({ ...world, ids: [first, ...rest], movePrice }, tell);
    });
    tell.check("the products API was really asked", replay.requests() > 0);
  } finally {
    await replay.stop();
  }
}

async function inFreshWorld(
  sources: readonly SourceChoice[],
  tell: Narrator,
  visit: (ground: Omit<Ground, "ids" | "movePrice">) => Promise<void>,
): Promise<void> {
  const dataFolder = mkdtempSync(join(tmpdir(), "tour-"));
  try {
    const world = await startWorld({ dir: dataFolder, port: 0, fresh: true, sources });
    tell.say(`a fresh local world at ${world.baseUrl}`);
    try {
      await visit({
        baseUrl: world.baseUrl,
        dataFolder,
        receiverUrl: world.receiverUrl,
        bucketEndpoint: world.bucketEndpoint,
        bucket: world.customerBucket,
      });
    } finally {
      await world.stop();
    }
  } finally {
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

await main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
