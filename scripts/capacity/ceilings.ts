import { concurrencyTiers, limits } from "../../shared/base/limits.ts";
import { shardSlots } from "../../shared/accounts/account.ts";
import { putsAtOnce } from "../../shared/exports/write-run.ts";
import { targetsAtOnceMax } from "../../shared/outbox/lease.ts";
import { exchangeTimes } from "../../shared/outgoing/guarded-connection.ts";
import { sharePerSecondMax } from "../../shared/sources/http/turns.ts";
import { callsPerSecondMax } from "../../shared/sources/registry/adapter-options.ts";
import { rowsMax } from "../../functions/sweeper/sweep.ts";
import { configs } from "../../lib/config.ts";
import { requestsPerSecondOfAddress } from "../../lib/constructs/firewall.ts";
import { accountQuota, throttleSums } from "../../lib/constructs/method-limits.ts";
import { defaultAssumptions, schedulesPerSecond } from "./scenarios.ts";

/**
 * Default quotas of an AWS account in a large region. Contains only the quotas that no other code
 * defines.
 */
const aws = {
  /** The write units per second of one DynamoDB partition. Not adjustable. */
  partitionUnits: 1_000,
  /** The write units per second of one DynamoDB table with on-demand capacity. */
  tableUnits: 40_000,
  /** The largest request body of API Gateway, in bytes. Not adjustable. */
  gatewayBodyBytes: 10 * 1024 * 1024,
};

/** The write units of a log row of at most 1 KB. In a transaction, each unit counts twice. */
const logRowUnits = 2;
/** Item calls that a ledger shard settles per second (ADR 0001, `npm run bench -- account`). */
const callsPerShard = 130;
/**
 * The highest number of events per second that one endpoint receives, with the maximum of
 * `limits.webhookRequestsAtOnce`. Measured by `npm run bench -- endpoint`. The delivery log alone
 * could store more events, but the worker must also write the outbox.
 */
const eventsOfBusyEndpoint = 490;
/** The response time of a receiver or a store that the rates in the table assume. */
const answerSeconds = 0.2;
/** The largest number of concurrent item calls of an account. */
const slotsMax = Math.max(...concurrencyTiers.map(({ concurrency }) => concurrency));
const quarterHour = 15 * 60;

/**
 * An upper limit of one key, account, endpoint, destination or watchlist, or of the whole service.
 */
export interface Ceiling {
  /** The subject of the limit, such as `an account`. */
  readonly of: string;
  /** The limited quantity, such as `watchlists`. */
  readonly what: string;
  readonly ceiling: string;
  /** The constant in code that sets the ceiling. */
  readonly constant: string;
  /**
   * The AWS quota that limits how far the constant can be raised, or `-` if the constant is far
   * below every quota.
   */
  readonly quota: string;
}

/**
 * Returns the capacity limits of a key, an account, an endpoint, a destination, a watchlist and the
 * whole service, which docs/performance.md shows. The limits apply to the settings of `prod`.
 */
export function ceilings(): readonly Ceiling[] {
  return [
    ...ofKey(),
    ...ofAccount(),
    ...ofEndpoint(),
    ...ofDestination(),
    ...ofWatchlist(),
    ...ofService(),
  ];
}

const { prod } = configs;
const workers = sumOf(Object.values(prod.concurrencyMax));
const reserved = prod.reservedConcurrency ?? {};
const productCalls = prod.reservedConcurrency?.products ?? prod.accountConcurrency;
const offerCalls = prod.reservedConcurrency?.offers ?? prod.accountConcurrency;
const logRowsPerSecond = aws.partitionUnits / logRowUnits;

function ofKey(): readonly Ceiling[] {
  return rowsOf("a key", [
    [
      "calls",
      perSecond(limits.requestsPerSecond),
      "`limits.requestsPerSecond`",
      units(`of its row: ${format(aws.partitionUnits)}/s`),
    ],
    [
      "item IDs in a call",
      format(limits.productIdsMax.retailer_a.pulse),
      "`limits.productIdsMax`",
      none,
    ],
    [
      "body of a call",
      megabytes(limits.bodyBytesMax),
      "`limits.bodyBytesMax`",
      `API Gateway: ${megabytes(aws.gatewayBodyBytes)}`,
    ],
    [
      "duration of a call",
      seconds(limits.callDeadlineSeconds),
      "`limits.callDeadlineSeconds`",
      `API Gateway: ${seconds(limits.gatewaySeconds.streamed)} without a byte`,
    ],
  ]);
}

function ofAccount(): readonly Ceiling[] {
  const keyCalls = limits.apiKeysMax * limits.requestsPerSecond;
  const { shards } = shardSlots(slotsMax, 0);
  return rowsOf("an account", [
    [
      "calls",
      perSecond(keyCalls),
      "`limits.apiKeysMax` × `limits.requestsPerSecond`",
      `API Gateway: ${perSecond(accountQuota.requestsPerSecond)}`,
    ],
    [
      "concurrent item calls",
      format(slotsMax),
      "`concurrencyTiers`",
      `Lambda: ${format(prod.accountConcurrency)} concurrent`,
    ],
    [
      "item calls settled",
      perSecond(shards * callsPerShard),
      `\`shardSlots\`: ${shards} shards of ${callsPerShard}/s`,
      units(`of a shard: ${format(aws.partitionUnits)}/s`),
    ],
    ["probes", `${limits.probes.max} in ${limits.probes.seconds} s`, "`limits.probes`", none],
    ["watchlists", format(limits.watchlistsMax), "`limits.watchlistsMax`", none],
    [
      "scheduled runs",
      perSecond(round(limits.watchlistsMax / limits.watchlistEverySecondsMin)),
      "`limits.watchlistsMax` ÷ `limits.watchlistEverySecondsMin`",
      `EventBridge Scheduler: ${perSecond(schedulesPerSecond)}`,
    ],
    ["webhook endpoints", format(limits.webhookEndpointsMax), "`limits.webhookEndpointsMax`", none],
    ["delivery targets drained concurrently", format(targetsAtOnceMax), "`targetsAtOnceMax`", none],
    [
      "deliveries logged",
      perSecond(logRowsPerSecond),
      `\`deliveryWrite\`: ${logRowUnits} write units for a row of up to 1 KB`,
      units(`of the log: ${format(aws.partitionUnits)}/s`),
    ],
  ]);
}

function ofEndpoint(): readonly Ceiling[] {
  const { default: usual, max } = limits.webhookRequestsAtOnce;
  const at = `at ${answerSeconds * 1_000} ms per response`;
  return rowsOf("an endpoint", [
    ["events of one run", `${1 / answerSeconds}/s ${at}`, "`firstAttempts`: one at a time", none],
    [
      "events of many runs",
      `${usual / answerSeconds}/s ${at}`,
      `\`limits.webhookRequestsAtOnce.default\`: ${usual}`,
      none,
    ],
    [
      "events of many runs, `set-endpoint-requests`",
      `${eventsOfBusyEndpoint}/s ${at}, measured`,
      `\`limits.webhookRequestsAtOnce.max\`: ${max}`,
      units(`of the log: ${format(aws.partitionUnits)}/s`),
    ],
    [
      "duration of an attempt",
      seconds(exchangeTimes.totalMs / 1_000),
      "`exchangeTimes.totalMs`",
      none,
    ],
  ]);
}

function ofDestination(): readonly Ceiling[] {
  return rowsOf("an S3 destination", [
    [
      "objects, of one run at a time",
      `${putsAtOnce / answerSeconds}/s at ${answerSeconds * 1_000} ms per response`,
      `\`putsAtOnce\`: ${putsAtOnce}`,
      none,
    ],
  ]);
}

function ofWatchlist(): readonly Ceiling[] {
  const { watchlistItemsMax, batchIdsMax, itemEventsMax, previewItemsMax, pipeline } = limits;
  const batches = Math.ceil(watchlistItemsMax / batchIdsMax);
  return rowsOf("a watchlist", [
    ["items", format(watchlistItemsMax), "`limits.watchlistItemsMax`", none],
    [
      "runs",
      `one every ${limits.watchlistEverySecondsMin / 60} minutes`,
      "`limits.watchlistEverySecondsMin`",
      none,
    ],
    ["steps of a run", format(pipeline.stepsMax), "`limits.pipeline.stepsMax`", none],
    ["items of a preview", format(previewItemsMax), "`limits.previewItemsMax`", none],
    [
      "concurrent batches of a step",
      format(Math.min(batches, prod.concurrencyMax.steps)),
      `\`limits.batchIdsMax\`; \`concurrencyMax.steps\`: ${prod.concurrencyMax.steps}`,
      `Lambda: ${format(prod.accountConcurrency)} concurrent`,
    ],
    [
      "events of a kind in a run",
      format(Math.ceil(watchlistItemsMax / itemEventsMax)),
      "`limits.watchlistItemsMax` ÷ `limits.itemEventsMax`",
      none,
    ],
  ]);
}

function ofService(): readonly Ceiling[] {
  const { batchSeconds } = defaultAssumptions;
  const { steps } = prod.concurrencyMax;
  const concurrent = `Lambda: ${format(prod.accountConcurrency)} concurrent`;
  return rowsOf("the service", [
    [
      "calls",
      perSecond(throttleSums(prod.throttle).requestsPerSecond),
      "`throttle`",
      `API Gateway: ${perSecond(accountQuota.requestsPerSecond)}`,
    ],
    [
      "calls to one method of a path",
      `${perSecond(prod.throttle.itemCalls)} for item calls, otherwise ${perSecond(prod.throttle.otherCalls)}`,
      "`throttle`",
      `API Gateway: ${perSecond(accountQuota.requestsPerSecond)} in all`,
    ],
    [
      "calls of an address",
      `${perSecond(requestsPerSecondOfAddress.all)}; ${perSecond(requestsPerSecondOfAddress.otherThanItemCalls)} of them other than item calls`,
      "`requestsPerSecondOfAddress`",
      none,
    ],
    [
      "concurrent product calls",
      format(productCalls),
      "`reservedConcurrency.products`",
      concurrent,
    ],
    ["concurrent offer calls", format(offerCalls), "`reservedConcurrency.offers`", concurrent],
    ["concurrent workers", format(workers), "`concurrencyMax`", concurrent],
    [
      "concurrent calls of other API functions",
      format(prod.accountConcurrency - workers - sumOf(Object.values(reserved))),
      "`accountConcurrency` - `concurrencyMax` - `reservedConcurrency`",
      concurrent,
    ],
    [
      "items read by runs",
      `${perSecond((steps * limits.batchIdsMax) / batchSeconds)} at ${batchSeconds} s per batch`,
      `\`concurrencyMax.steps\`: ${steps}; \`limits.batchIdsMax\``,
      `${concurrent}; DynamoDB: ${format(aws.tableUnits)} write units/s of a table`,
    ],
    [
      "runs of one batch, of one step",
      `${format(Math.floor((steps * quarterHour) / batchSeconds))} in 15 minutes at ${batchSeconds} s per batch`,
      `\`concurrencyMax.steps\`: ${steps}`,
      concurrent,
    ],
    [
      "scheduled starts",
      perSecond(schedulesPerSecond),
      "`schedulesPerSecond`",
      `EventBridge Scheduler: ${perSecond(schedulesPerSecond)}`,
    ],
    [
      "calls to a source",
      perSecond(callsPerSecondMax),
      `\`callsPerSecondMax\`; \`sharePerSecondMax\`: ${sharePerSecondMax}/s per row`,
      units(`of a row: ${format(aws.partitionUnits)}/s`),
    ],
    [
      "overdue rows of a kind that the sweeper wakes",
      `${format(rowsMax)} a minute`,
      "`rowsMax`",
      none,
    ],
  ]);
}

/** The cells of a row of the table, except for the subject of the ceiling (`of`). */
type Row = readonly [what: string, ceiling: string, constant: string, quota: string];

const rowsOf = (of: string, rows: readonly Row[]): readonly Ceiling[] =>
  rows.map(([what, ceiling, constant, quota]) => ({ of, what, ceiling, constant, quota }));

const none = "-";
const units = (text: string): string => `DynamoDB: write units ${text}`;
const format = (value: number): string => value.toLocaleString("en");
const round = (value: number): number => Number(value.toFixed(2));
const perSecond = (value: number): string => `${format(value)}/s`;
const seconds = (value: number): string => `${format(value)} s`;
const megabytes = (bytes: number): string => `${format(bytes / 1024 / 1024)} MB`;

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
