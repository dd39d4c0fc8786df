import { setTimeout as delay } from "node:timers/promises";
import type { ApiAnswer, ApiClient } from "../../tools/customer/api-client.ts";

/** A customer's continuous calls while a deployment is in progress. */
export interface Traffic {
  readonly stop: () => Promise<void>;
  readonly report: () => {
    readonly calls: number;
    /** Calls whose invocation the emulator ended when the code of the function changed. */
    readonly interrupted: number;
    /** A line for each call that failed, except interrupted calls. */
    readonly failures: readonly string[];
  };
}

export interface TrafficOptions {
  readonly api: ApiClient;
  readonly watchlistId: string;
  readonly ids: readonly string[];
}

const pauseMs = 200;

/**
 * Matches the response to a call whose worker process the emulator killed. Unlike the emulator,
 * Lambda kills no process when the code of a function changes.
 */
const interruption = /^502 .*Worker process died/;

/**
 * Starts calls that continue until `Traffic` is stopped: reads of the account and of products, and
 * the next run of a watchlist whenever the previous one has ended.
 */
export function startTraffic({ api, watchlistId, ids }: TrafficOptions): Traffic {
  const failures: string[] = [];
  let calls = 0;
  let interrupted = 0;
  const stopping = new AbortController();
  const expect = async (
    what: string,
    allowed: readonly number[],
    call: () => Promise<ApiAnswer>,
  ): Promise<void> => {
    calls += 1;
    const answer = await call().catch((error: unknown) => String(error));
    if (typeof answer !== "string" && allowed.includes(answer.status)) return;
    const reason =
      typeof answer === "string" ? answer : `${answer.status} ${JSON.stringify(answer.body)}`;
    if (interruption.test(reason)) interrupted += 1;
    else failures.push(`${new Date().toISOString()} ${what}: ${reason}`);
  };
  const ended = (async () => {
    while (!stopping.signal.aborted) {
      await expect("GET /account", [200], () => api.get("/account"));
      // 409: a run is in progress.
      await expect("POST /watchlists/{id}/run", [202, 409], () =>
        api.send("POST", `/watchlists/${watchlistId}/run`),
      );
      await expect("POST /products", [200], () =>
        api.send("POST", "/products", { platform: "retailer_d", ids }),
      );
      await delay(pauseMs);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await ended;
    },
    report: () => ({ calls, interrupted, failures }),
  };
}
