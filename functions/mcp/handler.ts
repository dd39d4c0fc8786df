import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { assert } from "../../shared/base/assert.ts";
import { originRefused } from "../../shared/base/errors.ts";
import { withRetryBudget } from "../../shared/base/retry-budget.ts";
import { within } from "../../shared/observability/work-log.ts";
import { windowMs } from "../../shared/source-health/health-window.ts";
import * as provide from "../composition/dependencies.ts";
import type { Overrides } from "../composition/overrides.ts";
import { runQueue } from "../composition/run-queue.ts";
import { sourceHealth } from "../composition/source-health.ts";
import { sources } from "../composition/sources.ts";
import * as stores from "../composition/watchlist-stores.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { callStateOf } from "../http/call-state.ts";
import { handlerChain, type HttpHandler } from "../http/group-handler.ts";
import { headersOf } from "../http/header.ts";
import { jsonBody } from "../http/json-body.ts";
import type { McpDependencies } from "./dependencies.ts";
import { isOwnOrigin } from "./origin.ts";
import { answerMessage } from "./server.ts";

/** The headers of a call that the protocol defines. */
const protocolHeaders = [
  "accept",
  "content-type",
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
] as const;

/** There are no streams and no sessions, for which clients would send GET and DELETE. */
const notAllowed: APIGatewayProxyResult = {
  statusCode: 405,
  headers: { Allow: "POST" },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: null,
    error: { code: -32_000, message: "This server supports POST only: it has no sessions." },
  }),
};

/**
 * Answers a call of `/mcp`.
 * @throws 403 for a page of another site; 400 or 413 for a body that is not a JSON object
 */
async function answerCall(
  event: APIGatewayProxyEvent,
  dependencies: McpDependencies,
  domainName: string | undefined,
): Promise<APIGatewayProxyResult> {
  if (!isOwnOrigin(event, domainName)) throw originRefused();
  if (event.httpMethod !== "POST") return notAllowed;
  const state = callStateOf(event);
  assert(state?.caller !== undefined, "the middleware has admitted the caller");
  const { caller } = state;
  const message = await jsonBody(event);
  const headers = protocolHeaders.flatMap((name) =>
    headersOf(event, name)
      .slice(0, 1)
      .map((value): [string, string] => [name, value]),
  );
  const request = new Request("https://localhost/mcp", { method: "POST", headers });
  const response = await within(state.work, () =>
    withRetryBudget(state.retries, () =>
      answerMessage(request, message, { event, state, caller, dependencies }),
    ),
  );
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}

/**
 * Creates the handler of `/mcp`.
 * @throws Error if SOURCES is invalid
 */
export function createHandler(
  environment: EnvironmentOf<"mcp">,
  overrides: Overrides = {},
): HttpHandler {
  const middleware = provide.middleware(environment, "mcp", overrides);
  const { DOMAIN_NAME: domain, RESPONSE_MODE: mode } = environment;
  const dependencies = {
    ...middleware,
    ...sources(environment, "mcp", overrides),
    warn: provide.warnTo(middleware.logger),
    ledger: provide.ledger(environment, "mcp", overrides),
    cancels: provide.cancelQueue(environment, overrides),
    answerBytesMax: provide.answerBytesMax(environment),
    readHealth: sourceHealth(environment, "mcp", { spanMs: windowMs.lastHour, overrides }),
    budgets: provide.dailyBudgets(environment, overrides),
    watchlists: stores.watchlists(environment, overrides),
    pages: stores.pages(environment, overrides),
    purges: stores.purges(environment, overrides),
    keys: stores.idempotencyKeys(environment, overrides),
    runs: stores.runs(environment, overrides),
    steps: stores.steps(environment, overrides),
    queue: runQueue(environment, overrides),
    schedules: provide.schedules(environment, overrides),
    endpoints: provide.endpoints(environment, overrides),
    history: stores.history(environment, overrides),
    backtests: stores.backtests(environment, overrides),
    backtestQueue: provide.backtestQueue(environment, overrides),
  };
  return handlerChain({ group: "mcp", dependencies, streamed: mode === "stream" }, (event) =>
    answerCall(event, dependencies, domain === "none" ? undefined : domain),
  );
}

const create = (): HttpHandler => createHandler(readEnvironment("mcp", process.env));

/**
 * The Lambda runtime recognizes a streaming handler by a property of the function, which a wrapper
 * would hide. A streaming handler is therefore created at import.
 */
export const handler =
  process.env["RESPONSE_MODE"] === "stream" ? create() : provide.onFirstCall(create);
