import { changeDestination } from "../../shared/exports/change-destination.ts";
import { destinationPatchBody } from "../../shared/exports/destination-body.ts";
import { presentDestination } from "../../shared/exports/present.ts";
import { countProbe } from "../../shared/outgoing/probe-limit.ts";
import { route } from "../http/route.ts";
import type { DestinationDependencies } from "./dependencies.ts";

/**
 * `PATCH /v1/s3_destination`. Changes the fields in the request. First checks the destination, if
 * the place or the credentials change or the destination is enabled again.
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
