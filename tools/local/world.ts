import { configuredVersions } from "../../functions/composition/written-versions.ts";
import { setTimeout as delay } from "node:timers/promises";
import { pointClientsAt } from "./aws-environment.ts";
import type { Endpoints } from "./aws-environment.ts";
import { createBuckets, customerBucket } from "./buckets.ts";
import { openDataFolder } from "./data-folder.ts";
import type { DataFolder } from "./data-folder.ts";
import { startDynamo } from "./dynamo-server.ts";
import { gateway } from "./gateway.ts";
import { startEventBus } from "./event-bus.ts";
import { keyEndpoint } from "./key-endpoint.ts";
import { functionVariables, startLambdaHost } from "./lambda-host.ts";
import type { Environment, LambdaHost, LoadHandler } from "./lambda-host.ts";
import { deferredListener, serveAtPreviousPort, serveFrom } from "./local-server.ts";
import type { Log } from "./log.ts";
import { startQueuePollers } from "./queue-poller.ts";
import { startQueueServer } from "./queue-server.ts";
import { createQueues } from "./queues.ts";
import { readyFile } from "./ready-file.ts";
import { startRunProgress } from "./run-progress.ts";
import { startScheduleClock } from "./schedule-clock.ts";
import { openScheduleStore } from "./schedule-store.ts";
import { scheduleTargets } from "./schedule-targets.ts";
import { keepTemplateSchedules, schedulerEndpoint } from "./scheduler-endpoint.ts";
import type { GivenContext } from "../../lib/context.ts";
import { checkedSources } from "../../shared/sources/registry/check-rules.ts";
import { seedAccounts } from "./seed.ts";
import type { Seed, SeededKeys } from "./seed.ts";
import { chooseSources } from "./sources.ts";
import type { SourceChoice } from "./sources.ts";
import { recordSources } from "./used-sources.ts";
import { synthesize } from "./synthesize.ts";
import { createTables } from "./tables.ts";
import { resolveTemplates } from "./template.ts";
import type { ResolvedTemplates, Stack } from "./template.ts";
import { webhookReceiver } from "./webhook-receiver.ts";

export interface WorldOptions {
  /** The data folder. It is created if it does not exist. */
  readonly dir: string;
  /** The API's port. If the port is taken, the next free one is used. 0 takes any free port. */
  readonly port: number;
  /** True to delete the content of the data folder first. */
  readonly fresh: boolean;
  readonly log?: Log;
  /**
   * Receives a line once a second for each run that progressed. If it is absent, the runs are not
   * polled, which saves requests.
   */
  readonly progress?: Log;
  /** The adapters that replace the adapters of the template; see `chooseSources`. */
  readonly sources?: readonly SourceChoice[];
  /**
   * The context of the CDK app.
   * @default the defaults of stage dev
   */
  readonly context?: GivenContext;
  /**
   * Returns the stacks of the world.
   * @default the stacks of the CDK app
   */
  readonly stacks?: (folder: DataFolder) => Promise<readonly Stack[]>;
  /**
   * Loads the functions.
   * @default `functions/<name>/handler.ts`
   */
  readonly loadHandler?: LoadHandler;
  /**
   * Creates the accounts.
   * @default the developer's account and the demo workspace
   */
  readonly seed?: Seed;
}

/** A running service on this machine, built from the service's templates. */
export interface World {
  /** The API's address without the paths, which begin with `/v1`. */
  readonly baseUrl: string;
  readonly endpoints: Endpoints;
  readonly receiverUrl: string;
  /** The S3 endpoint of the service's buckets and of the customer's bucket. */
  readonly bucketEndpoint: string;
  readonly customerBucket: string;
  readonly apiKey: string;
  readonly demoApiKey: string;
  /**
   * Returns the environment variables of a function.
   * @throws Error if no template creates the function
   */
  environmentOf(functionName: string): Environment;
  /** Stops all components. Waits at most 5 s for the running work of each component. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a local world, and resolves when it accepts calls. From then on, all SDK clients of the
 * process use the world's endpoints. A process can therefore have only one world at a time.
 * @throws Error if STORED_VERSIONS has an unknown value, or if a component cannot be started; the
 * components that did start are then stopped
 */
export async function startWorld(options: WorldOptions): Promise<World> {
  // The functions would refuse an unknown value only later, one by one.
  configuredVersions();
  const disposers: Disposer[] = [];
  const stop = async (): Promise<void> => {
    for (const dispose of disposers.splice(0).toReversed()) await dispose();
  };
  try {
    return await build(options, disposers, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

type Disposer = () => void | Promise<void>;

async function build(
  options: WorldOptions,
  disposers: Disposer[],
  stop: () => Promise<void>,
): Promise<World> {
  const log = options.log ?? (() => {});
  const folder = openDataFolder(options.dir, options.fresh);
  disposers.push(() => folder.release());
  folder.remove(readyFile);
  const base = await startBase(options, folder, disposers);
  // Functions need the API's address at their start, and the API needs the functions.
  const api = deferredListener();
  const server = await serveFrom(options.port, api.listener, "Set PORT to another port.");
  disposers.push(async () => server.close());
  const baseUrl = server.url;
  const { host, keys } = await startFunctions(options, folder, { ...base, log, baseUrl });
  await openEntrypoints({ ...base, folder, host, log, api }, disposers);
  const receiver = await serveAtPreviousPort(folder, "receiver", webhookReceiver(folder, log));
  disposers.push(async () => receiver.close());
  followRuns(options, host, disposers);
  const world: World = {
    baseUrl,
    endpoints: base.endpoints,
    receiverUrl: receiver.url,
    bucketEndpoint: base.endpoints.s3,
    customerBucket,
    ...keys,
    environmentOf: (functionName) => host.byName(functionName).environment,
    stop,
  };
  folder.write(readyFile, { ...readyContent(world), ...tableNames(host) });
  disposers.push(() => folder.remove(readyFile));
  return world;
}

interface Base {
  readonly templates: ResolvedTemplates;
  readonly endpoints: Endpoints;
  readonly openScheduler: ReturnType<typeof deferredListener>["open"];
}

/**
 * Starts the stateful components, which are tables, queues, buckets, keys and schedules. Their
 * servers use the ports of the previous start if possible, because clients store some addresses.
 */
async function startBase(
  options: WorldOptions,
  folder: DataFolder,
  disposers: Disposer[],
): Promise<Base> {
  const [stacks, dynamo, queues] = await Promise.all([
    options.stacks?.(folder) ?? synthesize(folder, options.context),
    startDynamo(folder).then((started) => onStop(disposers, started, async () => started.stop())),
    startQueueServer(folder).then((started) =>
      onStop(disposers, started, async () => started.stop()),
    ),
  ]);
  const templates = resolveTemplates(stacks, queues.queueUrlBase);
  const schedulerListener = deferredListener();
  const scheduler = await serveAtPreviousPort(folder, "scheduler", schedulerListener.listener);
  disposers.push(async () => scheduler.close());
  const bus = await startEventBus({
    templates,
    folder,
    log: options.log ?? (() => {}),
    queueUrlBase: queues.queueUrlBase,
  });
  disposers.push(async () => bus.close());
  const keys = await serveAtPreviousPort(folder, "keys", keyEndpoint(templates, folder));
  disposers.push(async () => keys.close());
  const endpoints = {
    dynamodb: dynamo.endpoint,
    sqs: queues.endpoint,
    s3: queues.endpoint,
    scheduler: scheduler.url,
    kms: keys.url,
    events: bus.url,
  };
  pointClientsAt(endpoints);
  await Promise.all([
    createTables(templates, options.fresh && !dynamo.ours),
    createQueues(templates, queues),
    createBuckets(templates),
  ]);
  return { templates, endpoints, openScheduler: schedulerListener.open };
}

function onStop<Started>(disposers: Disposer[], started: Started, dispose: Disposer): Started {
  disposers.push(dispose);
  return started;
}

async function startFunctions(
  options: WorldOptions,
  folder: DataFolder,
  { templates, log, baseUrl }: Base & { readonly log: Log; readonly baseUrl: string },
): Promise<{ host: LambdaHost; keys: SeededKeys }> {
  const choices = options.sources ?? [];
  const keys = await (options.seed ?? seedAccounts)(folder, functionVariables(templates));
  const host = await startLambdaHost({
    templates,
    log,
    loadHandler: options.loadHandler,
    replaceVariable: (name, value) => {
      if (name === "DEMO_API_KEY") return keys.demoApiKey;
      if (name === "API_URL") return `${baseUrl}/`;
      if (name !== "SOURCES") return value;
      const chosen = chooseSources(value, choices);
      // An invalid source configuration fails the start instead of the first call.
      checkedSources(chosen, { allowVariables: true });
      recordSources(folder, chosen);
      return chosen;
    },
  });
  return { host, keys };
}

interface Entrypoints extends Base {
  readonly folder: DataFolder;
  readonly host: LambdaHost;
  readonly log: Log;
  readonly api: ReturnType<typeof deferredListener>;
}

/**
 * Opens the API, the queue pollers and the schedule clock. When the world stops, they stop first.
 */
async function openEntrypoints(entrypoints: Entrypoints, disposers: Disposer[]): Promise<void> {
  const { templates, host, log, folder, api } = entrypoints;
  const store = openScheduleStore(folder);
  disposers.push(() => store.close());
  keepTemplateSchedules(templates, store);
  const targets = scheduleTargets({ templates, host, log });
  const clock = startScheduleClock(store, targets.fire);
  disposers.push(async () => withStopTimeout(async () => clock.stop().then(targets.stop)));
  entrypoints.openScheduler(schedulerEndpoint({ templates, store, clock }));
  const pollers = await startQueuePollers({ templates, host, log });
  disposers.push(async () => withStopTimeout(pollers.stop));
  api.open(gateway({ templates, host, log }));
  disposers.push(() => api.close());
}

/** How long a stopping world waits for running functions, in milliseconds. */
const stopTimeoutMilliseconds = 5_000;

async function withStopTimeout(work: () => Promise<void>): Promise<void> {
  await Promise.race([work(), delay(stopTimeoutMilliseconds, undefined, { ref: false })]);
}

function followRuns({ progress }: WorldOptions, host: LambdaHost, disposers: Disposer[]): void {
  const table = tableNames(host)["watchlists_table"];
  if (!progress || table === undefined) return;
  const following = startRunProgress(table, progress);
  disposers.push(async () => withStopTimeout(async () => following.stop()));
}

/**
 * Returns the table names as fields such as `accounts_table`, for tools that read the tables
 * directly.
 */
function tableNames(host: LambdaHost): Record<string, string> {
  const variables = host.functions.flatMap(({ environment }) => Object.entries(environment));
  return Object.fromEntries(
    variables
      .filter(([name]) => name.endsWith("_TABLE"))
      .map(([name, value]) => [name.toLowerCase(), value]),
  );
}

function readyContent(world: World): Record<string, unknown> {
  return {
    base_url: world.baseUrl,
    api_key: world.apiKey,
    demo_api_key: world.demoApiKey,
    webhook_receiver_url: world.receiverUrl,
    pid: process.pid,
    s3_endpoint: world.bucketEndpoint,
    export_bucket: customerBucket,
    dynamodb_endpoint: world.endpoints.dynamodb,
    sqs_endpoint: world.endpoints.sqs,
    scheduler_endpoint: world.endpoints.scheduler,
    kms_endpoint: world.endpoints.kms,
    event_bus_endpoint: world.endpoints.events,
  };
}
