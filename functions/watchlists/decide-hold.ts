import { decideHold } from "../../shared/runs/decide-hold.ts";
import { discardBody } from "../../shared/runs/discard-request.ts";
import { presentStoredRun } from "../../shared/runs/present-run.ts";
import { route } from "../http/route.ts";
import type { WatchlistDependencies } from "./dependencies.ts";
import { runOfPath } from "./run-of-path.ts";

/** `POST /v1/watchlists/{id}/runs/{run_number}/release`. Sends the events of a held run. */
export const releaseRunRoute = route<WatchlistDependencies>({
  async handle(call, dependencies) {
    const ref = await runOfPath(call, dependencies);
    const run = await decideHold(ref, { status: "released", reason: null }, dependencies);
    return { status: 202, body: presentStoredRun(run) };
  },
});

/**
 * `POST /v1/watchlists/{id}/runs/{run_number}/discard`. Restores the items of a held run to their
 * state before the run, without sending its events. The body is optional.
 */
export const discardRunRoute = route<WatchlistDependencies, typeof discardBody>({
  body: discardBody,
  async handle({ body: { reason = null }, ...call }, dependencies) {
    const ref = await runOfPath(call, dependencies);
    const run = await decideHold(ref, { status: "discarded", reason }, dependencies);
    return { status: 202, body: presentStoredRun(run) };
  },
});
