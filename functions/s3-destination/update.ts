import { changeDestination } from "../../shared/exports/change-destination.ts";
import { destinationPatchBody } from "../../shared/exports/destination-body.ts";
import { presentDestination } from "../../shared/exports/present.ts";
import { countProbe } from "../../shared/outgoing/probe-limit.ts";
import { route } from "../http/route.ts";
import type { DestinationDependencies } from "./dependencies.ts";

/**
 * `PATCH /v1/s3_destination`. Changes those fields of the destination that the request contains.
 * Checks the destination first if the place or the credentials change, or if the request enables
 * the destination again.
 */
export const updateDestinationRoute = route<DestinationDependencies, typeof destinationPatchBody>({
  body: destinationPatchBody,
  async handle({ caller: { accountId }, body, now, own }, dependencies) {
    await countProbe({ accountId, now }, dependencies);
    const destination = await changeDestination(
      { accountId, wanted: body, now, own },
      dependencies,
    );
    return { status: 200, body: presentDestination(accountId, destination) };
  },
});
