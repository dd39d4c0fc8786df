import { deleteDestination } from "../../shared/exports/delete-destination.ts";
import { route } from "../http/route.ts";
import type { DestinationDependencies } from "./dependencies.ts";

/** `DELETE /v1/s3_destination`. Deletes the destination. Its pending exports end as failed. */
export const deleteDestinationRoute = route<DestinationDependencies>({
  async handle({ caller, now }, dependencies) {
    await deleteDestination(caller.accountId, now, dependencies);
    return { status: 200, body: { object: "s3_destination", deleted: true } };
  },
});
