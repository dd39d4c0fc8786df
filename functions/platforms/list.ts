import type { Clock } from "../../shared/base/clock.ts";
import { presentPlatforms } from "../../shared/platforms/present-platform.ts";
import type { HealthByScraper } from "../../shared/source-health/read-health.ts";
import { tierHealth } from "../../shared/source-health/tier-health.ts";
import { publicDocument } from "../http/public-document.ts";
import { route } from "../http/route.ts";

export interface PlatformDependencies {
  readonly readHealth: () => Promise<HealthByScraper>;
  readonly clock: Clock;
}

/** Health changes every minute, so caches must not keep the document for longer. */
const maxAgeSeconds = 60;

/**
 * `GET /v1/platforms`: a public document, the same for every caller, with the health of the sources
 * (specification, section "GET /v1/platforms").
 */
export const listPlatformsRoute = route<PlatformDependencies>({
  async handle(_, { readHealth, clock }) {
    const healthOf = tierHealth(await readHealth(), clock.now());
    return publicDocument(presentPlatforms(healthOf), {
      "Cache-Control": `public, max-age=${maxAgeSeconds}`,
    });
  },
});
