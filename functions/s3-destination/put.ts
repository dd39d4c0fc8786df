import { destinationBody } from "../../shared/exports/destination-body.ts";
import { presentDestination } from "../../shared/exports/present.ts";
import { putDestination } from "../../shared/exports/put-destination.ts";
import { countProbe } from "../../shared/outgoing/probe-limit.ts";
import { route } from "../http/route.ts";
import type { DestinationDependencies } from "./dependencies.ts";

/**
 * `PUT /v1/s3_destination`. Checks the destination in the request, and stores it if the check
 * succeeds.
 */
export const putDestinationRoute = route<DestinationDependencies, typeof destinationBody>({
  body: destinationBody,
  async handle({ caller: { accountId }, body, now, own }, dependencies) {
    await countProbe({ accountId, now }, dependencies);
    const { destination, outcome } = await putDestination(
      { accountId, wanted: body, now, own },
      dependencies,
    );
    return {
      status: outcome === "created" ? 201 : 200,
      body: presentDestination(accountId, destination),
    };
  },
});
