import { testDestination } from "../../shared/exports/test-destination.ts";
import { countProbe } from "../../shared/outgoing/probe-limit.ts";
import { route } from "../http/route.ts";
import type { DestinationDependencies } from "./dependencies.ts";

/**
 * `POST /v1/s3_destination/test`. Checks the stored destination, and returns 200 even if the check
 * fails.
 */
export const testDestinationRoute = route<DestinationDependencies>({
  async handle({ caller, now }, dependencies) {
    await countProbe({ accountId: caller.accountId, now }, dependencies);
    const { ok, failure, durationMs } = await testDestination(caller.accountId, dependencies);
    const body = {
      object: "s3_destination_test",
      ok,
      error: failure?.reason ?? null,
      param: failure?.param ?? null,
      message: failure?.message ?? null,
      duration_ms: durationMs,
    };
    return { status: 200, body };
  },
});
