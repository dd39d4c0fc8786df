import { notFound } from "../../shared/base/errors.ts";
import { limits } from "../../shared/base/limits.ts";
import { addWorkKeys } from "../../shared/observability/work-log.ts";
import { decideHold } from "../../shared/runs/decide-hold.ts";
import { discardBody } from "../../shared/runs/discard-request.ts";
import { presentRun } from "../../shared/runs/present-run.ts";
import type { RunRef } from "../../shared/runs/run.ts";
import { type Call, route } from "../http/route.ts";
import { existingWatchlist } from "./existing-watchlist.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

type RunCall = Pick<Call<unknown, unknown>, "caller" | "path">;

/**
 * Returns the run that the path of a call names.
 * @throws 404 NOT_FOUND if the account has no such watchlist, or if the run number is malformed or
 * too high
 */
async function runOf(
  { caller, path }: RunCall,
  { watchlists }: WatchlistDependencies,
): Promise<RunRef> {
  const { id: watchlistId } = await existingWatchlist(watchlists, caller.accountId, path["id"]);
  const number = path["run_number"] ?? "";
  if (!/^[1-9]\d{0,7}$/.test(number) || Number(number) > limits.runNumberMax) {
    throw notFound("This run");
  }
  const runNumber = Number(number);
  addWorkKeys({ run_number: runNumber });
  return { accountId: caller.accountId, watchlistId, runNumber };
}

/** `POST /v1/watchlists/{id}/runs/{run_number}/release` */
export const releaseRunRoute = route<WatchlistDependencies>({
  async handle(call, dependencies) {
    const ref = await runOf(call, dependencies);
    const run = await decideHold(ref, { status: "released", reason: null }, dependencies);
    return { status: 202, body: presentRun(run) };
  },
});

/** `POST /v1/watchlists/{id}/runs/{run_number}/discard`. The body is optional. */
export const discardRunRoute = route<WatchlistDependencies, typeof discardBody>({
  body: discardBody,
  async handle({ body: { reason = null }, ...call }, dependencies) {
    const ref = await runOf(call, dependencies);
    const run = await decideHold(ref, { status: "discarded", reason }, dependencies);
    return { status: 202, body: presentRun(run) };
  },
});
