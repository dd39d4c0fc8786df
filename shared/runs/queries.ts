import * as v from "valibot";
import { limitParam } from "../base/limit-param.ts";
import { limits } from "../base/limits.ts";

/** Query of `GET /v1/watchlists/{id}/runs`. */
export const runsQuery = v.object({ limit: limitParam(limits.pagination.runs) });
