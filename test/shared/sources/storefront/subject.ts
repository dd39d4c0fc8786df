import { systemRandom } from "../../../../shared/base/system.ts";
import { stepScraperIds } from "../../../../shared/scrapers/catalog.ts";
import type { Answer, Scraper } from "../../../../shared/scrapers/scraper.ts";
import { parseSources } from "../../../../shared/sources/registry/configuration.ts";
import type { SourceDependencies } from "../../../../shared/sources/registry/parts.ts";
import { scraperFor } from "../../../../shared/sources/registry/scraper-sources.ts";
import { idTemplate } from "../../../../tools/sources/storefront/catalog.ts";
import { startProfileServer } from "../../../../tools/sources/storefront/profile-server.ts";
import {
  type ReferenceStore,
  type ReferenceStoreOptions,
  startReferenceStore,
} from "../../../../tools/sources/storefront/server.ts";
import { aSourceWorld } from "../../../support/source-dependencies.ts";

const sandboxes = Object.fromEntries(stepScraperIds.map((id) => [id, { adapter: "sandbox" }]));

/** Returns the configured scraper of `retailer_b` for a store, as the service creates it. */
export function storefrontAt(
  baseUrl: string,
  options: Readonly<Record<string, unknown>> = {},
  changes: Partial<SourceDependencies> = {},
): Scraper {
  const pace = { callsPerSecond: 1_000, burst: 100 };
  const source = { adapter: "storefront", baseUrl, idTemplate, ...pace, ...options };
  const configured = { ...sandboxes, "retailer_b.standard": source };
  // Without jitter: retries follow immediately, unless the store asks to wait.
  const random = { ...systemRandom, fraction: () => 0 };
  return scraperFor(
    parseSources(JSON.stringify(configured)),
    aSourceWorld({ random, ...changes }),
  )("retailer_b.standard");
}

export interface StoreSubject {
  readonly store: ReferenceStore;
  /** The address of the profiles that the store reads. */
  readonly profileUrl: string;
  /** The warnings of the adapter so far. */
  readonly warnings: readonly string[];
  readonly read: (ids: readonly string[], withinMs?: number) => Promise<readonly Answer[]>;
  readonly stop: () => Promise<void>;
}

export interface StoreSubjectOptions extends Omit<ReferenceStoreOptions, "port"> {
  /** Options of the adapter. */
  readonly adapter?: Readonly<Record<string, unknown>>;
}

/** Starts the reference store, and the server from which the store reads agent profiles. */
export async function startStore({ adapter = {}, ...options }: StoreSubjectOptions = {}): Promise<
  StoreSubject & { readonly scraper: Scraper }
> {
  const [store, profiles] = await Promise.all([
    startReferenceStore({ port: 0, ...options }),
    startProfileServer(),
  ]);
  const { profileUrl } = profiles;
  const warnings: string[] = [];
  const scraper = storefrontAt(store.url, adapter, {
    agentProfileUrl: profileUrl,
    warn: (problem) => warnings.push(problem),
  });
  return {
    store,
    profileUrl,
    warnings,
    scraper,
    read: (ids, withinMs = 30_000) =>
      scraper.read({
        scraper: "retailer_b.standard",
        marketplace: "us",
        ids,
        deadline: new Date(Date.now() + withinMs),
      }),
    async stop() {
      await Promise.all([store.close(), profiles.close()]);
    },
  };
}
