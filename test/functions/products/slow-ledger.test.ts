import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, expect, it } from "vitest";
import { createHandler } from "../../../functions/products/handler.ts";
import {
  type Prelude,
  provideStreaming,
  responseStream,
} from "../../../tools/local/response-stream.ts";
import { createAccount, createApiKey } from "../../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../../shared/aws/accounts/account-store.ts";
import { dynamoLedger } from "../../../shared/aws/ledger/ledger.ts";
import { afterReadingMs } from "../../support/after-reading.ts";
import { limits } from "../../../shared/base/limits.ts";
import { withinBudget } from "../../../shared/base/retry-budget.ts";
import type { StepSources } from "../../../shared/runs/read-step.ts";
import { countingRandom, fixedClock } from "../../support/clock.ts";
import { openTables } from "../../support/tables.ts";
import { watchedClient } from "../../support/watched-client.ts";

const { callDeadlineSeconds, dependencies } = limits;
const { answerSpareMs, attemptMs, attemptsMax, ledgerRequestMs } = dependencies;
const { settleLossMs, settleRequestsMax } = dependencies;
const start = "2026-03-01T00:00:00Z";

const tables = openTables();
beforeAll(async () => {
  provideStreaming();
});

/** Creates a clock that advances only while code sleeps. */
function movingClock() {
  const clock = fixedClock(start);
  return { ...clock, sleep: async (ms: number) => clock.advance(ms) };
}
type MovingClock = ReturnType<typeof movingClock>;

/** An attempt without a response: its duration, and whether the request took effect. */
interface LostAttempt {
  readonly waitsMs: number;
  readonly takesEffect?: boolean;
}

/**
 * Creates a client that repeats attempts within the retry budget, as the SDK does. An attempt that
 * gets a response takes `ledgerRequestMs`, the 99th percentile of a loaded ledger.
 * @param lostOf returns the attempts of a request that get no response; they are its first attempts
 */
function slowClient(
  clock: MovingClock,
  lostOf: (command: unknown) => Promise<readonly LostAttempt[]>,
) {
  return watchedClient(tables.client, async (command, send) => {
    const lost = await lostOf(command);
    for (let attempts = 1; ; attempts += 1) {
      try {
        const answer = await withinBudget(attemptMs, async (milliseconds) => {
          const attempt = lost[attempts - 1];
          clock.advance(Math.min(milliseconds, attempt?.waitsMs ?? ledgerRequestMs));
          if (attempt?.takesEffect === true) await send();
          if (attempt === undefined && milliseconds >= ledgerRequestMs) return send;
          throw Object.assign(new Error("no response"), { name: "TimeoutError" });
        });
        // A refusal is a response, so the attempt is not lost.
        return await answer();
      } catch (error) {
        const mayRepeat = error instanceof Error && error.name === "TimeoutError";
        if (!mayRepeat || attempts === attemptsMax) throw error;
      }
    }
  });
}

/**
 * The position of the reservation among the writes of a call: after the admission of the API key
 * and before the settlement.
 */
const reservation = 2;
const unansweredReservation = Array.from({ length: attemptsMax }, (_, n) => ({
  waitsMs: 100,
  takesEffect: n === 0,
}));
/**
 * The attempts without a response that take as much time as possible, but leave a settlement enough
 * time for a last attempt.
 */
const allThatMayBeLost = [
  { waitsMs: attemptMs },
  { waitsMs: settleLossMs - attemptMs - ledgerRequestMs },
];

/**
 * Makes the slowest call. Attempts without a response from the ledger use up the retry budget of
 * the call, and the call then still needs requests to settle. The reservation takes effect although
 * no response arrives. The first settlement is refused, because another process has changed the
 * shard.
 */
async function worstCall(mode: "buffer" | "stream", limitSeconds: number) {
  const table = await tables.create();
  const clock = movingClock();
  const random = countingRandom();
  const accounts = dynamoAccountStore(tables.client, { accounts: table });
  const setup = { accounts, clock, random };
  const account = await createAccount({ name: "Test", email: "t@example.com" }, setup);
  const { key } = await createApiKey({ account, name: "server" }, setup);
  const elsewhere = dynamoLedger(tables.client, {
    accountsTable: table,
    ledgerTable: table,
    clock,
    random,
  });
  const meetAnother = async (): Promise<void> => {
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + 60_000);
    const source = { requestId: "req_other" };
    const hold = { accountId: account.id, holdId: "req_other", credits: 1, slot: true, source };
    await elsewhere.reserve({ ...hold, now, expiresAt });
  };

  let writes = 0;
  let settleRequests = 0;
  let isSettling = false;
  const client = slowClient(clock, async (command) => {
    const isWrite = !(command instanceof GetCommand);
    if (isWrite) writes += 1;
    if (!isSettling) return isWrite && writes === reservation ? unansweredReservation : [];
    settleRequests += 1;
    if (settleRequests === 1) await meetAnother();
    return settleRequests === 1 ? allThatMayBeLost : [];
  });
  const readUntil: Date[] = [];
  const sources: StepSources = {
    scraperFor: () => ({
      async read({ ids, deadline }) {
        readUntil.push(deadline);
        clock.set(deadline.toISOString());
        isSettling = true;
        return ids.map((id) => ({ id, status: "not_found" as const, fetchedAt: start }));
      },
    }),
    offerScraperFor: () => unused("offers"),
    offerCheckerFor: () => unused("offer checks"),
  };
  const handler = createHandler(
    {
      STAGE: "dev",
      ACCOUNTS_TABLE: table,
      LEDGER_TABLE: table,
      RUNS_QUEUE_URL: "http://127.0.0.1:1/runs",
      SOURCES: "{}",
      API_URL: "https://service.example/",
      RESPONSE_MODE: mode,
    },
    { clock, random, sources, clients: { dynamo: client } },
  );

  const startedAt = clock.now().getTime();
  const event = {
    httpMethod: "POST",
    path: "/v1/products",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ platform: "retailer_d", ids: ["6000001"] }),
    isBase64Encoded: false,
    requestContext: { path: "/v1/products", requestTimeEpoch: startedAt },
  };
  const context = {
    awsRequestId: "invocation-1",
    getRemainingTimeInMillis: () => startedAt + limitSeconds * 1_000 - clock.now().getTime(),
  };
  const { statusCode, headers } = await answerOf(handler, { event, context, mode });
  const tookMs = clock.now().getTime() - startedAt;
  const readMs = (readUntil[0]?.getTime() ?? 0) - startedAt;
  return { statusCode, credits: headers?.["X-Service-Credits"], tookMs, readMs, settleRequests };
}

const unused = (what: string): never => {
  throw new Error(`The call must not read ${what}`);
};

async function answerOf(
  handler: unknown,
  asked: { readonly event: unknown; readonly context: unknown; readonly mode: string },
): Promise<Prelude> {
  const handle = handler as (...parameters: unknown[]) => Promise<Prelude>;
  if (asked.mode === "buffer") return handle(asked.event, asked.context);
  let answer: Prelude | undefined;
  const stream = responseStream({
    begin: (prelude) => {
      answer = prelude;
    },
    write: async () => {},
  });
  await handle(asked.event, stream, asked.context);
  if (answer === undefined) throw new Error("The call got no response");
  return answer;
}

it.each([
  ["buffer", limits.gatewaySeconds.buffered],
  ["stream", limits.gatewaySeconds.streamed],
] as const)(
  "POST /v1/products in the mode '%s' responds within the gateway's timeout of %d seconds despite a slow source and ledger",
  async (mode, seconds) => {
    const { statusCode, credits, tookMs, readMs, settleRequests } = await worstCall(mode, seconds);
    expect({ statusCode, credits }).toEqual({ statusCode: 200, credits: "1" });
    expect(settleRequests).toBeGreaterThan(1);
    expect(settleRequests).toBeLessThanOrEqual(settleRequestsMax);
    expect(readMs).toBe(Math.min(seconds * 1_000 - afterReadingMs, callDeadlineSeconds * 1_000));
    expect(tookMs).toBeLessThanOrEqual(seconds * 1_000 - answerSpareMs);
  },
);
