import * as v from "valibot";
import type { CachedCheck } from "../../shared/base/cached-check.ts";
import { unavailable } from "../../shared/base/errors.ts";
import { version } from "../../shared/base/version.ts";
import { route } from "../http/route.ts";

/** Milliseconds for which a process reuses the result of a check of the database. */
export const healthFreshMs = 5_000;

/** Response 200 of `GET /v1/health`. */
export const healthResponse = v.object({
  object: v.literal("health"),
  status: v.pipe(v.literal("ok"), v.description("The service and its database respond.")),
  version: v.pipe(
    v.string(),
    v.description("Version of the deployed release."),
    v.examples([version]),
  ),
});

interface HealthDependencies {
  /** Checks whether the database responds. */
  readonly database: CachedCheck;
}

/**
 * `GET /v1/health`. Returns 503 while the database does not respond. The cause is only in the log,
 * because the route is public.
 */
export const healthRoute = route<HealthDependencies>({
  async handle(_call, { database }) {
    const checked = await database();
    if (checked.outcome === "failed") {
      throw unavailable(`the database does not respond: ${String(checked.error)}`);
    }
    const body: v.InferOutput<typeof healthResponse> = { object: "health", status: "ok", version };
    return { status: 200, body };
  },
});
