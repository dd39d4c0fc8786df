import { noDestination } from "../../shared/exports/destination.ts";
import { presentDestination } from "../../shared/exports/present.ts";
import { route } from "../http/route.ts";
import type { DestinationDependencies } from "./dependencies.ts";

/** `GET /v1/s3_destination`. Returns the destination without its secret access key. */
export const getDestinationRoute = route<DestinationDependencies>({
  async handle({ caller: { accountId } }, { destinations }) {
    const destination = await destinations.get(accountId);
    if (destination === null) throw noDestination();
    return { status: 200, body: presentDestination(accountId, destination) };
  },
});
