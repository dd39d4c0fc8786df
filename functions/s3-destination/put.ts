import { destinationBody } from "../../shared/exports/destination.ts";
import { presentDestination } from "../../shared/exports/present.ts";
import {
  putDestination,
  type PutDestinationDependencies,
} from "../../shared/exports/put-destination.ts";
import { route } from "../http/route.ts";

/** `PUT /v1/s3_destination` */
export const putRoute = route({
  body: destinationBody,
  async handle({ caller, body, now, baseUrl }, dependencies: PutDestinationDependencies) {
    const { destination, outcome } = await putDestination(
      { accountId: caller.accountId, wanted: body, now, ownHost: new URL(baseUrl).host },
      dependencies,
    );
    return { status: outcome === "created" ? 201 : 200, body: presentDestination(destination) };
  },
});
