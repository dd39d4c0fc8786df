/**
 * Tests the whole service, from a new account to a signed webhook and an object in the customer's
 * bucket. Does so three times: with the sandbox as source, with a replayed products API, and with a
 * reference store of the catalog protocol.
 */
import { runCommand, type ValuesOf } from "../tools/command-line/command-line.ts";
import { loadRecordedProducts, startReplayCatalog } from "../tools/sources/replay-catalog.ts";
import { itemsOf } from "../tools/sources/storefront/found-items.ts";
import { startReferenceStore } from "../tools/sources/storefront/server.ts";
import { searchStore } from "../tools/sources/storefront/store-client.ts";
import { installClientPython } from "./clients/python.ts";
import { adminCommands } from "./tour/admin-commands.ts";
import { httpClient } from "./tour/clients/http.ts";
import { pythonClient } from "./tour/clients/python.ts";
import type { ConnectTour } from "./tour/clients/tour-client.ts";
import { typescriptClient } from "./tour/clients/typescript.ts";
import { localCustomer } from "../tools/customer/bucket.ts";
import { type FreshWorld, inFreshWorld } from "../tools/local/fresh-world.ts";
import { type Narrator, createNarrator } from "./tour/narrator.ts";
import { runReconcileCommand } from "./tour/reconcile.ts";
import type { ReachableTarget } from "./tour/runs.ts";
import { runTour } from "./tour/run-tour.ts";

/**
 * Sandbox items. The price of the first item changes with every read, and the prices of the other
 * items never change.
 */
const sandboxIds = ["9000001", "9000000", "9000003", "9000007"] as const;
/** The number of items with a recorded price. An item without a price has the status `partial`. */
const pricedItems = 8;
const unpricedItems = 3;
/** A price that no item of the reference store has, in minor units. */
const movedPrice = 12_345;

const commandLine = {
  name: "npm run tour",
  about:
    "Tests the service in a fresh local world, from a new account to a webhook and an export. Takes about a minute.",
  options: {
    client: {
      type: "string",
      value: "<http|typescript|python>",
      default: "http",
      about: "the client that makes the customer's calls",
    },
    recordings: {
      type: "string",
      value: "<folder>",
      about: "recorded replies of a products API (default: those of the project's tests)",
    },
    json: {
      type: "boolean",
      about: "prints the result as JSON, and the steps to standard error",
    },
  },
  examples: ["", "--client typescript", "--recordings ./replies", "--json"],
} as const;

/** The steps of the tour that no client makes, because they are not calls of the API. */
const otherSteps = [
  "creates the account and its key, and reconciles the tables: the operator's command (npm run admin)",
  "changes prices: the control of the source",
  "lists the deliveries and makes one fail: the control of the receiver",
  "compares the bytes of the export: an S3 client of AWS",
];

type Clients = { readonly connect: ConnectTour } | { readonly absent: string };

async function clientsOf(name: string): Promise<Clients> {
  if (name === "http") return { connect: httpClient };
  if (name === "typescript") return { connect: typescriptClient };
  if (name !== "python")
    throw new Error(`--client must be http, typescript or python (got "${name}").`);
  const python = await installClientPython();
  return python.outcome === "absent"
    ? { absent: python.why }
    : { connect: pythonClient(python.python) };
}

async function main({
  client,
  recordings,
  json: isJson = false,
}: ValuesOf<(typeof commandLine)["options"]>): Promise<void> {
  const started = Date.now();
  const narrator = createNarrator(isJson ? process.stderr : process.stdout);
  const clients = await clientsOf(client);
  if ("absent" in clients) {
    process.stderr.write(`The tour with the Python client did not run: ${clients.absent}\n`);
    if (isJson) process.stdout.write(`${JSON.stringify({ skipped: clients.absent })}\n`);
    return;
  }
  const { connect } = clients;
  if (client !== "http") {
    narrator.note(`The ${client} client makes every call of the API. Other programs make these:`);
    for (const step of otherSteps) narrator.note(`- ${step}`);
  }
  await tourSandbox(connect, narrator);
  await tourReplayedCatalog(connect, recordings, narrator);
  await tourStore(connect, narrator);
  const [checks, seconds] = [narrator.checks(), ((Date.now() - started) / 1_000).toFixed(1)];
  process.stdout.write(
    isJson
      ? `${JSON.stringify({ client, checks, seconds: Number(seconds) })}\n`
      : `\nThe tour is complete: ${checks} checks passed in ${seconds} s.\n`,
  );
}

async function tourSandbox(connect: ConnectTour, narrator: Narrator): Promise<void> {
  narrator.title("1 of 3: with the sandbox");
  // The command `reconcile` must not see a demo workspace that is still being filled.
  await inFreshWorld(["--empty-demo"], async (world) => {
    narrator.note(`a fresh local world at ${world.base_url}`);
    const target = targetOf(world, connect);
    await runTour({ ...target, ids: sandboxIds, movePrice: () => {} }, narrator);
    await runReconcileCommand(target, narrator);
  });
}

async function tourReplayedCatalog(
  connect: ConnectTour,
  folder: string | undefined,
  narrator: Narrator,
): Promise<void> {
  narrator.title("2 of 3: with a products API, replayed");
  const recorded = loadRecordedProducts(folder);
  const priced = recorded.filter((product) => typeof product["salePrice"] === "number");
  const unpriced = recorded.filter((product) => typeof product["salePrice"] !== "number");
  const products = [...priced.slice(0, pricedItems), ...unpriced.slice(0, unpricedItems)];
  narrator.note(
    `${products.length} products, recorded in ${folder ?? "the project's own fixtures"}`,
  );
  const replay = await startReplayCatalog({ products, port: 0 });
  const [first, ...rest] = products.map(({ sku }) => String(sku));
  if (first === undefined)
    throw new Error(
      `There are no recorded products in ${folder ?? "test/fixtures"}. Name another folder with --recordings.`,
    );
  const movePrice = (): void => {
    const price = Number(products[0]?.["salePrice"]) + 1;
    replay.setPrice(Number(first), price);
    narrator.note(`the source's price of ${first} is now ${price}`);
  };
  try {
    await inFreshWorld(["--source", `retailer_d=d_catalog,${replay.url}`], async (world) => {
      narrator.note(`a fresh local world at ${world.base_url}`);
      const target = targetOf(world, connect);
      await runTour({ ...target, ids: [first, ...rest], movePrice }, narrator);
      await runReconcileCommand(target, narrator);
    });
    narrator.check("the products API received requests", replay.requests.length > 0);
  } finally {
    await replay.stop();
  }
}

/** The number of items that the tour reads from the reference store. */
const storeItems = 4;
/** An ID in the form of the store's IDs that the store does not have. */
const missingItem = "12345";

async function tourStore(connect: ConnectTour, narrator: Narrator): Promise<void> {
  narrator.title("3 of 3: with a store of the catalog protocol");
  const store = await startReferenceStore({ port: 0 });
  const output = await searchStore({
    store: store.url,
    query: "espresso",
    limit: storeItems,
    marketplace: "us",
  });
  const [first = "", ...rest] = itemsOf(output)
    .map(({ id }) => id)
    .slice(0, storeItems);
  narrator.check("a search finds items", first !== "");
  const movePrice = (): void => {
    store.setPrice(first, movedPrice);
    narrator.note(`the store's price of ${first} is now ${movedPrice / 100}`);
  };
  try {
    await inFreshWorld(["--source", `retailer_b=storefront,${store.url}`], async (world) => {
      narrator.note(`a fresh local world at ${world.base_url}`);
      const platform = "retailer_b";
      const target = { ...targetOf(world, connect), platform };
      await runTour({ ...target, ids: [first, ...rest, missingItem], movePrice }, narrator);
      await runReconcileCommand(target, narrator);
      narrator.check(
        "the store read the agent profile of the service",
        store.calls.some(({ profile }) => profile.startsWith(world.base_url)),
      );
    });
    narrator.check(
      "every request matched the official schemas",
      store.calls.length > 0 && store.violations.length === 0,
    );
  } finally {
    await store.close();
  }
}

const targetOf = (
  world: FreshWorld,
  connect: ConnectTour,
): Omit<ReachableTarget, "ids" | "movePrice"> => ({
  connect,
  baseUrl: world.base_url,
  admin: adminCommands([], { LOCAL_DIR: world.dataFolder }),
  receiver: { url: world.webhook_receiver_url, controlUrl: world.webhook_receiver_url },
  bucket: { endpoint: world.s3_endpoint, name: world.export_bucket, ...localCustomer },
});

await runCommand(commandLine, ({ values }) => main(values), {
  exit: "after the command",
});
