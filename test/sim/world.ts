import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createAccount, createApiKey } from "../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import { versionedClient } from "../../shared/aws/table/versioned-client.ts";
import { kindsAt, releaseClient, releases } from "../support/next-versions.ts";
import { type ApiAnswer, type ApiRequest, apiAnswer, apiEvent, groupOf } from "./api.ts";
import { contention } from "./contention.ts";
import { virtualCustomerBuckets } from "./customer-buckets.ts";
import { dueRows } from "./dues.ts";
import { virtualEventBus } from "./event-bus.ts";
import { type FaultKind, type Profile, seededFaults } from "./faults.ts";
import { timeoutSeconds, workers } from "./lambdas.ts";
import { lambdaProcesses } from "./processes.ts";
import { type Random, randomSourceOf, seededRandom } from "./random.ts";
import { virtualReceivers } from "./receivers.ts";
import { faultyClients } from "./sdk.ts";
import type { Attempt } from "./attempt.ts";
import { seededTaskScheduler, type Task } from "./task-scheduler.ts";
import { type QueueName, type QueuedMessage, virtualQueues } from "./virtual-queues.ts";
import { virtualScheduler } from "./virtual-scheduler.ts";
import { virtualBucket, virtualKey } from "./virtual-stores.ts";
import type { Stage } from "./stage.ts";

export interface WorldOptions {
  readonly seed: number;
  readonly profile: Profile;
  /** True to inject no random faults. */
  readonly calm?: boolean;
  /**
   * The numbers of the random draws that may inject a fault. All other draws inject none.
   * @default all draws
   */
  readonly only?: ReadonlySet<number>;
  /** Returns the planned fault of an attempt; undefined if there is none. */
  readonly planned?: (attempt: Attempt) => FaultKind | undefined;
  readonly onCrash: (site: string, side: "before" | "after") => void;
  /** True if processes of several releases run at the same time. @default false */
  readonly mixesReleases?: boolean;
}

/** A simulated user, with an account and its API key. */
export interface User {
  readonly name: string;
  readonly accountId: string;
  readonly key: string;
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** The start time of most seeds. */
export const start = new Date("2026-03-01T00:00:00.000Z");
/**
 * The start times that a seed can have. Some are shortly before Berlin's clocks skip or repeat an
 * hour.
 */
const starts = [
  ...Array.from({ length: 6 }, () => start),
  new Date("2026-03-29T00:56:00.000Z"),
  new Date("2026-10-25T00:46:00.000Z"),
] as const;
const minute = 60_000;
/** The largest number of invocations of workers at the same time. */
const workersMax = 4;
/**
 * The longest duration of one call of the task scheduler under contention, in milliseconds. These
 * calls run in sequence, so if they took longer, many simultaneous API calls would time out.
 */
const contendedCallMsMax = 4;
/**
 * The range of a read's duration under contention, in milliseconds. Reads are so long that all
 * simultaneous calls can reserve before the first call settles.
 */
const contendedReadMs = [3_000, 4_500] as const;
const settleDays = 40;
const eventsMax = 15_000;

/**
 * Opens the simulated service with its queues, schedules, receivers and clock. The seed determines
 * all random choices.
 */
export async function openWorld(plainStage: Stage, options: WorldOptions) {
  const { seed, mixesReleases = false } = options;
  const stage = mixesReleases ? stageOfRelease(plainStage) : plainStage;
  const of = (purpose: string): Random => seededRandom(seed, purpose);
  const faults = seededFaults(of("faults"), options);
  const startsAt = of("calendar").pick(starts);
  const contended = options.profile === "contention" ? contention(of("contention")) : undefined;
  const tasks = seededTaskScheduler(startsAt, of("turns"), contended && contendedCallMsMax);
  const random = of("play");
  const queues = virtualQueues(tasks, faults, of("queues"));
  const scheduler = virtualScheduler({ tasks, faults, random: of("scheduler") }, queues);
  const bodies = virtualBucket();
  const key = virtualKey();
  const receivers = virtualReceivers({ tasks, faults, random: of("receivers") });
  const buckets = virtualCustomerBuckets({ tasks, faults, random: of("buckets") });
  // In half of the seeds, the deployment has an event bus.
  const bus = of("has a bus").isHit(0.5)
    ? virtualEventBus({ tasks, faults, random: of("bus") })
    : null;
  const beforeEffect: ((attempt: Attempt) => Promise<void> | void)[] = [];
  const afterEffect: ((attempt: Attempt) => Promise<void> | void)[] = [];
  const onRefusal: ((attempt: Attempt, error: Error) => void)[] = [];
  const dues = dueRows(stage);
  afterEffect.push(dues.forget);
  const clients = faultyClients({
    tasks,
    faults,
    random: of("sdk"),
    contention: contended,
    endpoint: stage.endpoint,
    table: stage.table,
    virtual: {
      sqs: (operation, input) => queues.service(operation, input),
      scheduler: (operation, input) => scheduler.service(operation, input),
      kms: (operation, input) => key.service(operation, input),
      s3: (operation, input) => bodies.service(operation, input),
    },
    onRefused(attempt, error) {
      for (const watch of onRefusal) watch(attempt, error);
    },
    async onSend(attempt) {
      for (const look of beforeEffect) await look(attempt);
    },
    async onDone(attempt) {
      for (const watch of afterEffect) await watch(attempt);
    },
    onCrash: options.onCrash,
    ...(options.planned === undefined ? {} : { planned: options.planned }),
  });
  const processes = lambdaProcesses({
    table: stage.table,
    tasks,
    faults,
    random: of("processes"),
    clients,
    ...(mixesReleases && { dynamoOf: anyRelease(of("releases")) }),
    readMs: contended && contendedReadMs,
    outside: (clock) => ({
      sender: receivers.sender(() => clock.now()),
      buckets: buckets.ports,
      ...(bus !== null && { eventBus: bus.port }),
      resolver: { resolve: async () => ["8.8.8.8"] },
      roles: { assume: async () => ({ outcome: "failed", reason: "AccessDenied" }) },
    }),
  });

  /** The responses that functions returned after the gateway's timeout. */
  const lateAnswers: ApiAnswer[] = [];
  /** How often each rare state was reached. */
  const states = new Map<string, number>();
  /** Counts one occurrence of a rare state. */
  const reached = (name: string): void => void states.set(name, (states.get(name) ?? 0) + 1);

  let working: { readonly task: Task; readonly endsAt: number }[] = [];
  let sweeper: Task | undefined;
  let users = 0;
  /** The first error in the work of a user; undefined if there was none. */
  let failure: Error | undefined;
  /** The time of the sweeper's next tick, and of its next tick that finds due work. */
  let [nextTickAt, nextSweepAt] = [tasks.now() + minute, tasks.now() + minute];
  const isWorking = (task: Task | undefined): boolean => task?.state === "working";
  const isBusy = (): boolean => {
    // Does not count a process that exceeded its timeout.
    working = working.filter(({ task, endsAt }) => isWorking(task) && endsAt > tasks.now());
    return working.length >= workersMax;
  };

  const deliver = (): void => {
    const queue = random.pick(queues.ready());
    const { name, batchSize } = workers[queue];
    const holder = `${name} ${tasks.now()}`;
    const visibilityMs = visibilityOf(queue);
    const taken = queues.take(queue, { most: batchSize, visibilityMs, holder });
    const event = { Records: taken.map(recordOf) };
    const label = taken.map(labelOfMessage).join(", ");
    const task = processes.invoke({ name, label, event }, (ended, answer) => {
      const failures = new Set(failuresOf(answer));
      for (const message of taken) {
        if (ended.state !== "done" || failures.has(message.id)) queues.failed(message, holder);
        else queues.done(message, holder);
      }
    });
    working.push({ task, endsAt: tasks.now() + timeoutSeconds[name] * 1_000 });
  };
  const sweep = (): void => {
    nextTickAt = tasks.now() + random.between(1, 3) * minute;
    nextSweepAt = nextTickAt;
    sweeper = processes.invoke({ name: "sweeper", label: "", event: {} });
  };

  let violation: Error | undefined;
  /**
   * Runs one event of the simulation, chosen at random among the events that are possible now.
   * Returns false if none is possible.
   */
  const happen = async (): Promise<boolean> => {
    if (violation !== undefined) throw violation;
    const can: (readonly [number, () => void | Promise<void>])[] = [];
    if (tasks.isReady()) can.push([8, () => tasks.runNext()]);
    if (queues.ready().length > 0 && !isBusy()) can.push([3, deliver]);
    if (scheduler.isDue()) can.push([2, () => scheduler.tick()]);
    if (tasks.now() >= nextSweepAt && !isWorking(sweeper)) can.push([1, sweep]);
    if (can.length === 0) return false;
    let place = random.fraction() * can.reduce((sum, [weight]) => sum + weight, 0);
    const chosen = can.find(([weight]) => (place -= weight) < 0) ?? can[0];
    await chosen?.[1]();
    return true;
  };
  /** Advances the clock to the next time at which an event is possible. */
  const waitForNext = async (atLatest = Infinity): Promise<void> => {
    if (!isWorking(sweeper)) {
      // Omits sweeper passes without due work, because they have no effect.
      nextSweepAt = Math.max(nextTickAt, (await dues.all())[0]?.at ?? Infinity);
    }
    const times = [
      tasks.nextReadyAt(),
      isBusy() ? undefined : queues.nextVisibleAt(),
      scheduler.nextAt(),
      isWorking(sweeper) ? undefined : nextSweepAt,
    ].filter((time) => time !== undefined);
    const next = Math.min(...times, ...(atLatest > tasks.now() ? [atLatest] : []));
    if (next === Infinity)
      throw new Error(`No event is possible any more. Running tasks: ${namesOf(tasks.working())}`);
    tasks.jumpTo(next);
  };

  const accounts = dynamoAccountStore(stage.client, {
    accounts: stage.table,
  });
  const clock = { now: () => new Date(tasks.now()), sleep: async () => {} };
  const randomSource = randomSourceOf(of("setup"));

  return {
    ...stage,
    /** A client that returns rows as they are stored, without a conversion of their version. */
    plainClient: plainStage.client,
    /** A DynamoDB client whose requests may have faults, for the commands of operators. */
    operatorClient: clients.dynamo,
    seed,
    profile: options.profile,
    contention: contended,
    startsAt,
    random,
    tasks,
    faults,
    queues,
    scheduler,
    bodies,
    receivers,
    buckets,
    /** The event bus of the deployment; null if the deployment has none. */
    bus,
    key,
    /** Functions that are called for each attempt, before or after it takes effect. */
    beforeEffect,
    afterEffect,
    onRefusal,
    lateAnswers,
    states,
    reached,
    /** Reports a violation, which ends the run of the seed. Only the first one is kept. */
    reportViolation(error: Error): void {
      violation ??= error;
    },
    clock,
    randomSource,
    happen,
    waitForNext,
    dues: dues.all,
    /** Opens an account with an API key. */
    async newUser(name: string, signupCredits: number): Promise<User> {
      const dependencies = { accounts, clock, random: randomSource };
      const opened = await createAccount(
        { name, email: `${name}@example.com`, signupCredits },
        dependencies,
      );
      const made = await createApiKey({ account: opened, name: "first" }, dependencies);
      return { name, accountId: opened.id, key: made.key };
    },
    /** Returns overrides for work that a scenario starts as a separate task. */
    overridesOfOther: processes.overridesOfOther,
    /**
     * Calls the API. Returns undefined if the client gets no response, so that the outcome is
     * unknown.
     */
    call: (request: ApiRequest): Promise<ApiAnswer | undefined> =>
      new Promise((resolve) => {
        const [name, event] = [groupOf(request), apiEvent(request)];
        const endsAt = tasks.now() + timeoutSeconds[name] * 1_000;
        const label = `${request.method} ${request.path}`;
        const isCalm = faults.isStopped();
        processes.invoke({ name, label, event }, ({ state }, given) => {
          // If the function ends after the gateway's timeout, the gateway has already responded
          // with an error.
          const answered = state === "done" ? apiAnswer(given) : undefined;
          const answer = tasks.now() <= endsAt ? answered : undefined;
          if (answered !== answer) lateAnswers.push(apiAnswer(given));
          tasks.addToHash(answer?.text ?? "");
          if (isCalm && (answer === undefined || answer.status >= 500)) {
            violation ??= new Error(
              `${label} failed without faults: ${answer?.text ?? "no response"}`,
            );
          }
          resolve(answer);
        });
      }),
    /** Starts a user. The user's actions run in sequence, at the same time as all other work. */
    begin(name: string, work: () => Promise<void>): void {
      users += 1;
      tasks.begin(`user ${name}`, work, ({ error }) => {
        users -= 1;
        if (error !== undefined) failure ??= new Error(`user ${name} failed`, { cause: error });
      });
    },
    /** Returns the number of users that have not finished. */
    users: () => users,
    /** Waits for the given virtual time, as a part of a user's work. */
    pause: (milliseconds: number): Promise<void> =>
      tasks.call({ label: "waits", effect: async () => {}, delay: milliseconds }),
    /**
     * Runs events until `isOver` returns true. Calls `isOver` when no event is possible at the
     * current time. From `endsAt` on, calls it before every event. `what` names the awaited state
     * in the message of the error.
     * @throws Error if `isOver` does not return true within 40 days of virtual time or 15,000
     * events
     */
    async until(
      isOver: () => boolean | Promise<boolean>,
      what: string,
      endsAt = Infinity,
    ): Promise<void> {
      const latest = tasks.now() + settleDays * 24 * 60 * minute;
      for (let event = 0; event < eventsMax && tasks.now() < latest; event += 1) {
        if (failure !== undefined) throw failure;
        if (tasks.now() >= endsAt && (await isOver())) return;
        if (await happen()) continue;
        if (await isOver()) return;
        await waitForNext(endsAt);
      }
      throw new Error(`The simulation never reached this state: ${what}`);
    },
    /** Returns true if no task runs and no message waits. */
    isIdle: (): boolean => tasks.working().length === 0 && queues.size() === 0,
  };
}

/** Returns a function that makes a client act like the client of a random release. */
const anyRelease =
  (random: Random) =>
  (client: DynamoDBDocumentClient): DynamoDBDocumentClient =>
    releaseClient(client, random.pick(releases));

/** Returns a stage whose client reads the rows of all releases as this code does. */
const stageOfRelease = (stage: Stage): Stage => ({
  ...stage,
  client: versionedClient(stage.client, { kinds: kindsAt(1) }),
});

/**
 * Returns the visibility timeout of a queue in milliseconds, which is six times the timeout of its
 * function, as the stacks set it.
 */
const visibilityOf = (queue: QueueName): number => 6 * timeoutSeconds[workers[queue].name] * 1_000;

const namesOf = (tasks: readonly Task[]): string => tasks.map(({ name }) => name).join(", ");

/** Returns the last characters of each value in a message, for the trace. */
const labelOfMessage = ({ body }: QueuedMessage): string =>
  Object.values(JSON.parse(body) as object)
    .map((value) => String(value).slice(-8))
    .join(" ");

const recordOf = ({ id, body, receives, sentAt }: QueuedMessage) => ({
  messageId: id,
  body,
  attributes: { ApproximateReceiveCount: `${receives}`, SentTimestamp: `${sentAt}` },
});

const failuresOf = (answer: unknown): readonly string[] =>
  (
    (answer as { batchItemFailures?: readonly { itemIdentifier: string }[] } | undefined)
      ?.batchItemFailures ?? []
  ).map(({ itemIdentifier }) => itemIdentifier);
