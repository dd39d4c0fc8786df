import type { EnvironmentOf } from "../../functions/environment.ts";
import type { Overrides } from "../../functions/composition/overrides.ts";
import { createHandler } from "../../functions/products/handler.ts";
import { assert } from "../../shared/base/assert.ts";
import { systemClock } from "../../shared/base/system.ts";
import type { StepSources } from "../../shared/runs/read-step.ts";
import { sandboxScraper } from "../../shared/sources/sandbox/scraper.ts";

type Handler = (...invocation: readonly unknown[]) => Promise<unknown>;

/**
 * Creates the products function with the environments of Lambda: each environment handles one call
 * at a time and caches the state of the ledger separately. A call that finds no idle environment
 * creates one.
 * @param workMs How long the simulated source takes to respond, in milliseconds.
 */
export const productsEnvironments = (workMs: number) => ({
  createHandler(environment: EnvironmentOf<"products">, overrides: Overrides): Handler {
    const idle: Handler[] = [];
    const open = (): Handler =>
      createHandler(environment, { ...overrides, sources: slowSources(workMs) }) as Handler;
    return async (...invocation) => {
      const handler = idle.pop() ?? open();
      try {
        return await handler(...invocation);
      } finally {
        idle.push(handler);
      }
    };
  },
});

const noOffers = (): never => {
  assert(false, "the calls of this bench must not read offers");
};

function slowSources(workMs: number): StepSources {
  const scraper = sandboxScraper({ seed: "bench", clock: systemClock });
  return {
    scraperFor: () => ({
      async read(request) {
        await systemClock.sleep(workMs);
        return scraper.read(request);
      },
    }),
    offerScraperFor: noOffers,
    offerCheckerFor: noOffers,
  };
}
