import { backfillBody, startBackfill } from "../../shared/exports/start-backfill.ts";
import { route } from "../http/route.ts";
import type { DestinationDependencies } from "./dependencies.ts";

/** `POST /v1/s3_destination/backfill`. Exports the runs of a time span again. */
export const backfillRoute = route<DestinationDependencies, typeof backfillBody>({
  body: backfillBody,
  async handle({ caller: { accountId }, body, now }, dependencies) {
    const span = await startBackfill({ accountId, wanted: body, now }, dependencies);
    return { status: 202, body: { object: "s3_backfill", ...span } };
  },
});
