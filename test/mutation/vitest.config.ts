import { defineConfig } from "vitest/config";
import { testOptions } from "../test-options.ts";

/**
 * The tests of the pure rules. They need DynamoDB, but no other server or process. Most property
 * tests are left out: each takes seconds, and would run again for every mutant.
 */
export default defineConfig({
  test: {
    ...testOptions,
    include: [
      "test/shared/{cron,credits,pipelines}/*.test.ts",
      "test/shared/aws/ledger/{credit-history,item-call,ledger}.test.ts",
      "test/shared/runs/{changes,derived-prices,missing-traces,outcome,owed-retries,refresh,route-limits,transitions}.test.ts",
      "test/shared/runs/route-states.property.test.ts",
      "test/shared/outbox/backoff.test.ts",
      "test/shared/outgoing/{address-blocks,address-policy,public-url,samples,spellings,url}.test.ts",
      "test/shared/webhooks/signature.test.ts",
      "test/shared/watchlists/{change-items,forecast,page,schedule}.test.ts",
    ],
    exclude: ["test/shared/{cron,credits}/*.property.test.ts"],
  },
});
