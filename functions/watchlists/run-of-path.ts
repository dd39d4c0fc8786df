import { runNotFound } from "../../shared/base/errors.ts";
import { limits } from "../../shared/base/limits.ts";
import { addWorkKeys } from "../../shared/observability/work-log.ts";
import type { RunRef } from "../../shared/runs/run.ts";
import type { Call } from "../http/route.ts";
import { existingWatchlist } from "./existing-watchlist.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

type RunCall = Pick<Call<unknown, unknown>, "caller" | "path">;

/**
 * Returns the run that the path of a call names. Checks only that the account has the watchlist,
 * not that the run exists.
 * @throws 404 NOT_FOUND if the account has no such watchlist, or if the run number is malformed or
 * too high
 */
export async function runOfPath(
  { caller, path }: RunCall,
  { watchlists }: Pick<WatchlistDependencies, "watchlists">,
): Promise<RunRef> {
  const { id: watchlistId } = await existingWatchlist(watchlists, caller.accountId, path["id"]);
  const number = path["run_number"] ?? "";
  if (!/^[1-9]\d*$/.test(number) || Number(number) > limits.runNumberMax) {
    throw runNotFound(number);
  }
  const runNumber = Number(number);
  addWorkKeys({ run_number: runNumber });
  return { accountId: caller.accountId, watchlistId, runNumber };
}
