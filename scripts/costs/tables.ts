import type { CallCosts } from "./api-calls.ts";
import type { WatchlistCosts } from "./list-runs.ts";
import type { Unit } from "../measure/prices.ts";
import { monthDays } from "./stored-bytes.ts";
import { bytesPerGigabyte, dollarsOf, sumOf, times, type Usage } from "../measure/usage.ts";

/** The units that each line of the bill adds up, by the name of the line. */
const parts: Readonly<Record<string, readonly Unit[]>> = {
  gateway: ["gatewayRequest"],
  firewall: ["firewallRequest", "firewallMonth", "firewallRuleMonth"],
  lambda: ["lambdaRequest", "lambdaGigabyteSecond", "lambdaStreamedGigabyte"],
  "dynamodb requests": ["dynamoReadUnit", "dynamoWriteUnit"],
  "dynamodb storage": ["dynamoGigabyteMonth", "dynamoRecoveryGigabyteMonth"],
  sqs: ["sqsRequest"],
  scheduler: ["schedulerInvocation"],
  "event bus": [
    "busEvent",
    "busApiCall",
    "busArchiveGigabyte",
    "busArchiveGigabyteMonth",
    "busSchemaEvent",
  ],
  s3: ["s3Put", "s3Get", "s3GigabyteMonth"],
  kms: ["kmsRequest", "kmsKeyMonth"],
  logs: ["logGigabyte"],
  "metrics, alarms, dashboard": ["metricMonth", "alarmMonth", "dashboardMonth"],
  "data out": ["transferGigabyte"],
};

const formatDollars = (dollars: number): string => dollars.toFixed(2);

/**
 * Returns the lines of the bill for which at least one of the usages has units. Each line has the
 * units that it adds up.
 */
function partsOf(usages: readonly Usage[]): [string, readonly Unit[]][] {
  const used = sumOf(usages);
  return Object.entries(parts).filter(([, units]) => units.some((unit) => (used[unit] ?? 0) > 0));
}

const million = 1_000_000;

/**
 * Returns one table row for each kind of call, with the dollars of a million calls for each line of
 * the bill.
 */
export function callRows(costs: readonly Omit<CallCosts, "work">[]): object[] {
  const used = partsOf(costs.map(({ usage }) => usage));
  return costs.map(({ name, billedMs, usage }) => {
    const all = times(usage, million);
    return {
      "1,000,000 calls": name,
      "billed ms": Math.round(billedMs),
      ...Object.fromEntries(
        used.map(([part, units]) => [part, formatDollars(dollarsOf(all, units))]),
      ),
      dollars: formatDollars(dollarsOf(all)),
    };
  });
}

/**
 * Returns the monthly usage of a watchlist with regular runs, without its baseline.
 * @param options.everyMinutes The minutes between two runs.
 * @param options.refreshEveryRuns The number of runs from one refresh to the next.
 */
export function listMonth(
  costs: Omit<WatchlistCosts, "works">,
  { everyMinutes, refreshEveryRuns }: { everyMinutes: number; refreshEveryRuns: number },
): Usage {
  const runs = (monthDays * 24 * 60) / everyMinutes;
  const refreshes = runs / refreshEveryRuns;
  const { listBytes, sweepBytes } = costs;
  const rowGigabytes = (listBytes + runs * sweepBytes.expiringPerMonth) / bytesPerGigabyte;
  const stored: Usage = {
    dynamoGigabyteMonth: rowGigabytes,
    dynamoRecoveryGigabyteMonth: rowGigabytes,
    s3GigabyteMonth: (runs * sweepBytes.objects) / bytesPerGigabyte,
  };
  return sumOf([times(costs.sweep, runs - refreshes), times(costs.refresh, refreshes), stored]);
}

const cadences = [5, 15, 60];

/**
 * Returns one table row for each line of the bill, and one for the total. Each row has the monthly
 * dollars of the watchlist for each run interval.
 * @param refreshEveryRuns The number of runs from one refresh to the next.
 */
export function listRows(costs: Omit<WatchlistCosts, "works">, refreshEveryRuns: number): object[] {
  const months = cadences.map((everyMinutes) => ({
    name: `every ${everyMinutes} min`,
    usage: listMonth(costs, { everyMinutes, refreshEveryRuns }),
  }));
  const row = (part: string, units?: readonly Unit[]): object => ({
    [`${costs.items.toLocaleString("en")} items, a month`]: part,
    ...Object.fromEntries(
      months.map(({ name, usage }) => [name, formatDollars(dollarsOf(usage, units))]),
    ),
  });
  const used = partsOf(months.map(({ usage }) => usage));
  return [...used.map(([part, units]) => row(part, units)), row("dollars")];
}

/**
 * Returns one table row for each line of the bill, and one for the total: the monthly dollars of a
 * service without calls and watchlists.
 */
export function standingRows(usage: Usage): object[] {
  const row = (part: string, units?: readonly Unit[]): object => ({
    "a month": part,
    dollars: formatDollars(dollarsOf(usage, units)),
  });
  return [...partsOf([usage]).map(([part, units]) => row(part, units)), row("dollars")];
}

/**
 * The number of events a month of a watchlist that runs every 15 minutes. Each run sends two events
 * of at most 64 KB.
 */
const busEventsPerMonth = 2 * 4 * 24 * monthDays;

/**
 * Returns one table row for each price of the event bus, with the dollars of the stated quantity.
 * @param standing The monthly usage that exists only with the event bus: its alarms and metrics.
 */
export function busRows(standing: Usage): object[] {
  const rows: readonly (readonly [string, Usage])[] = [
    ["1,000,000 events of at most 64 KB", { busEvent: million }],
    ["1,000,000 calls of an API destination", { busApiCall: million }],
    ["archive: 1 GB that it receives", { busArchiveGigabyte: 1 }],
    ["archive: 1 GB, a month", { busArchiveGigabyteMonth: 1 }],
    ["schema discovery: 1,000,000 events", { busSchemaEvent: million }],
    ["alarms and metrics, a month", standing],
    ["2 events every 15 min, a month", { busEvent: busEventsPerMonth }],
  ];
  return rows.map(([name, usage]) => ({
    "event bus": name,
    dollars: dollarsOf(usage).toFixed(3),
  }));
}
