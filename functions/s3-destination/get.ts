import { notFound } from "../../shared/base/errors.ts";
import type { DestinationStore } from "../../shared/exports/destination-store.ts";
import { presentDestination } from "../../shared/exports/present.ts";
import { route } from "../http/route.ts";

/** `GET /v1/s3_destination` */
export const getRoute = route({
  async handle({ caller }, { destinations }: { readonly destinations: DestinationStore }) {
    const destination = await destinations.get(caller.accountId);
    if (destination === null) throw notFound("An S3 destination");
    return { status: 200, body: presentDestination(destination) };
  },
});
