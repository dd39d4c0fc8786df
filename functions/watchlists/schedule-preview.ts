import type { UndefinedSchema } from "valibot";
import {
  presentSchedulePreview,
  schedulePreviewQuery,
} from "../../shared/watchlists/schedule-preview.ts";
import { route } from "../http/route.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

/** `GET /v1/watchlists/schedule`. Returns the next run times of a schedule. */
export const schedulePreviewRoute = route<
  WatchlistDependencies,
  UndefinedSchema<undefined>,
  typeof schedulePreviewQuery
>({
  query: schedulePreviewQuery,
  handle: async ({ query, now }) => ({ status: 200, body: presentSchedulePreview(query, now) }),
});
