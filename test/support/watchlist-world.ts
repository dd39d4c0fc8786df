import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { groupHandler } from "../../functions/http/group-handler.ts";
import { watchlistRoutes } from "../../functions/watchlists/handler.ts";
import { hashApiKey, newApiKey } from "../../shared/accounts/api-key.ts";
import { dynamoEndpointStore } from "../../shared/aws/deliveries/endpoint-store.ts";
import { dynamoBacktestStore } from "../../shared/aws/backtest/backtest-store.ts";
import { dynamoIdempotencyStore } from "../../shared/aws/watchlists/idempotency-store.ts";
import { cachedStockStore } from "../../shared/aws/watchlists/cached-stock.ts";
import { dynamoPageStore } from "../../shared/aws/watchlists/page-store.ts";
import { dynamoPurgeStore } from "../../shared/aws/watchlists/purge-store.ts";
import { dynamoRunStore } from "../../shared/aws/runs/run-store.ts";
import { dynamoHistoryStore } from "../../shared/aws/history/history-store.ts";
import { dynamoStepStore } from "../../shared/aws/runs/step-store.ts";
import type { RowKey } from "../../shared/aws/table/table.ts";
import { dynamoWatchlistStore } from "../../shared/aws/watchlists/watchlist-store.ts";
import type { Row } from "../../shared/aws/table/dynamo.ts";
import { memoryLedger } from "../../shared/played-runs/memory-ledger.ts";
import { systemRandom } from "../../shared/base/system.ts";
import type { WatchlistSchedule, Schedules } from "../../shared/watchlists/schedules.ts";
import type { WebhookEndpoint } from "../../shared/webhooks/endpoint.ts";
import { anAccount } from "./an-account.ts";
import { anEndpoint } from "./an-endpoint.ts";
import { fixedClock } from "./clock.ts";
import { type CrashPoint, ProcessDied } from "./crashing-ports.ts";
import { expectDocumented } from "./openapi.ts";
import { loggedLines } from "./log-lines.ts";
import { messageList } from "./message-list.ts";
import { scriptedSources } from "./scripted-sources.ts";
import type { TestTables } from "./tables.ts";
import { gatewayContext, gatewayEvent } from "./gateway-event.ts";
import { scopes } from "../../shared/accounts/scopes.ts";

export interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** The caller whose API key is sent. */
  readonly as?: keyof typeof callers;
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

const callers = {
  owner: { accountId: "acct_1", demo: false },
  stranger: { accountId: "acct_2", demo: false },
  demo: { accountId: "acct_3", demo: true },
} as const;

/** Opens the watchlist API on real tables. The test controls schedules, queue and clock. */
export async function openWatchlistWorld(tables: TestTables) {
  const clock = fixedClock("2026-03-01T10:00:00Z");
  const { client } = tables;
  const [table, deliveriesTable] = [await tables.create(), await tables.create()];
  const options = { table, clock, random: systemRandom };
  const scheduled = new Map<string, WatchlistSchedule>();
  const schedules: Schedules = {
    put: async (schedule) => void scheduled.set(schedule.watchlistId, schedule),
    remove: async (watchlistId) => void scheduled.delete(watchlistId),
  };
  const messages = messageList();
  const warnings: string[] = [];
  const { logger, lines } = loggedLines("watchlists");
  const source = scriptedSources(clock);
  const pages = dynamoPageStore(client, options);
  const ports = {
    watchlists: dynamoWatchlistStore(client, options),
    pages,
    stockItems: cachedStockStore({ client, ...options }, pages),
    purges: dynamoPurgeStore(client, options),
    keys: dynamoIdempotencyStore(client, options),
    runs: dynamoRunStore(client, options),
    steps: dynamoStepStore(client, options),
    history: dynamoHistoryStore(client, options),
    backtests: dynamoBacktestStore(client, options),
    endpoints: dynamoEndpointStore(client, {
      tableName: deliveriesTable,
      clock,
      random: systemRandom,
    }),
    schedules,
    queue: messages.port,
  };
  const keys = new Map(
    Object.entries(callers).map(([name, { demo }]) => [name, newApiKey(demo, systemRandom)]),
  );
  const owners = new Map(
    Object.entries(callers).map(([name, caller]) => [
      hashApiKey(keys.get(name) ?? ""),
      { ...caller, keyId: `key_${name}`, keyName: name, keyPrefix: "svc_live_abc", scopes },
    ]),
  );
  const rate = { limit: 50, remaining: 49, resetSeconds: 1_772_000_000 };
  const edge = {
    accounts: {
      get: async (id: string) => anAccount({ id }),
      admit: async (hash: string) => {
        const owner = owners.get(hash);
        return owner === undefined
          ? ({ outcome: "unknown" } as const)
          : ({ outcome: "admitted", owner, rate } as const);
      },
    },
    clock,
    random: systemRandom,
    logger,
    warn: (message: string) => void warnings.push(message),
    ...source.sources,
    budgets: { used: async () => 0, usedByWatchlists: async () => new Map<string, number>() },
    // Every account has enough credits.
    ledger: memoryLedger(async () => ({ outcome: "reserved" })),
    cancels: { send: async () => {} },
    backtestQueue: { send: async () => {} },
    readHealth: async () => new Map(),
  };

  const askThrough =
    (through: typeof ports) =>
    async (route: string, asked: Asked = {}): Promise<Answered> => {
      const { body, headers = {}, query, as = "owner" } = asked;
      const handler = groupHandler({
        group: "watchlists",
        routes: watchlistRoutes,
        dependencies: { ...edge, ...through },
      });
      const [method = "GET", path = ""] = route.split(" ");
      const event = gatewayEvent({
        method,
        // A path that begins with `/v1` is complete. Other paths are below `/v1/watchlists`.
        path: path.startsWith("/v1") ? path : `/v1/watchlists${path}`,
        headers: {
          Host: "api.test",
          Authorization: `Bearer ${keys.get(as)}`,
          "Content-Type": "application/json",
          ...headers,
        },
        query: query ?? null,
        body: body === undefined ? null : JSON.stringify(body),
      });
      const answer = await handler(event, gatewayContext);
      const json = JSON.parse(answer.body) as Record<string, unknown>;
      expectDocumented(`${method} ${event.path}`, answer.statusCode, json);
      return {
        status: answer.statusCode,
        headers: answer.headers ?? {},
        text: answer.body,
        json,
      };
    };

  return {
    ...ports,
    client,
    options,
    clock,
    scheduled,
    waiting: messages.waiting,
    warnings,
    /** The sources' answers. A test may change them at any time. */
    answers: source.answers,
    /** The log lines of calls. */
    lines,
    ask: askThrough(ports),
    /**
     * Creates the watchlist API of a separate process. If `crash` is given, the process crashes at
     * this port call.
     */
    process(crash?: CrashPoint) {
      const process = mortal(ports, crash);
      return { ask: askThrough(process.ports), calls: process.calls };
    },
    /** Returns all rows of the watchlists table. */
    async rows(): Promise<readonly TableRow[]> {
      const { Items = [] } = await client.send(new ScanCommand({ TableName: table }));
      return Items as TableRow[];
    },
    /** Stores an enabled webhook endpoint of `acct_1` with this URL, and returns it. */
    async registered(url: string): Promise<WebhookEndpoint> {
      const createdAt = clock.now().toISOString();
      const endpoint = anEndpoint({ url, registeredUrl: url, createdAt });
      await ports.endpoints.create("acct_1", endpoint);
      return endpoint;
    },
  };
}
type TableRow = Row & RowKey;
export type WatchlistWorld = Awaited<ReturnType<typeof openWatchlistWorld>>;

/** Wraps the ports of a process. After a crash at a port call, this and every later call fails. */
function mortal<Ports extends Readonly<Record<string, object>>>(
  ports: Ports,
  crash: CrashPoint | undefined,
): { readonly ports: Ports; readonly calls: () => number } {
  let calls = 0;
  let dead = false;
  const call = async (effect: () => unknown): Promise<unknown> => {
    calls += 1;
    const dies = crash?.call === calls;
    dead ||= dies && crash.when === "before";
    if (dead) throw new ProcessDied();
    const result = await effect();
    dead ||= dies;
    if (dead) throw new ProcessDied();
    return result;
  };
  const watched = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function" || name === "pages") return method;
        return (...args: unknown[]) => call(() => Reflect.apply(method, target, args));
      },
    });
  const entries = Object.entries(ports).map(([name, port]) => [name, watched(port)]);
  return { ports: Object.fromEntries(entries) as Ports, calls: () => calls };
}
