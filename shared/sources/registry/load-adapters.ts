import type { SourceConfiguration } from "./configuration.ts";

type AdapterName = SourceConfiguration[keyof SourceConfiguration]["adapter"];

/**
 * One loader for each adapter. The first call of a loader imports the file of the adapter, and
 * later calls return the same module. A Lambda function loads only the adapters in its
 * configuration, because all adapters together are larger than the rest of its code.
 */
export const adapters = {
  sandbox: () => import("./adapters/sandbox.ts"),
  upstream: () => import("./adapters/upstream.ts"),
  d_catalog: () => import("./adapters/catalog.ts"),
  b_affiliate: () => import("./adapters/affiliate.ts"),
  a_history: () => import("./adapters/price-history.ts"),
  storefront: () => import("./adapters/storefront.ts"),
  web: () => import("./adapters/web.ts"),
} satisfies Record<AdapterName, () => Promise<object>>;

/**
 * Loads the adapters of all configured sources, so that the first read does not wait for an
 * adapter.
 */
export async function loadAdapters(sources: SourceConfiguration): Promise<void> {
  const names = new Set(Object.values(sources).map(({ adapter }) => adapter));
  await Promise.all([...names].map((name) => adapters[name]()));
}
