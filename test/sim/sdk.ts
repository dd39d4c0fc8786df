import { createHash } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { KMSClient } from "@aws-sdk/client-kms";
import { S3Client } from "@aws-sdk/client-s3";
import { SchedulerClient } from "@aws-sdk/client-scheduler";
import { SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { limits } from "../../shared/base/limits.ts";
import { withinBudget } from "../../shared/base/retry-budget.ts";
import { callSite } from "./call-sites.ts";
import type { Contention } from "./contention.ts";
import {
  type Answered,
  dynamoFaults,
  dynamoFaultsOf,
  remember,
  throttle,
} from "./dynamo-faults.ts";
import type { FaultKind, Faults } from "./faults.ts";
import type { Random } from "./random.ts";
import type { Task, TaskScheduler } from "./task-scheduler.ts";
import { engineClientSettings } from "../support/engine-wire.ts";
import type { ServiceName, Members, Attempt, Sent } from "./attempt.ts";

/**
 * A simulated AWS service. It returns the fields of an operation's output, or throws an SDK error.
 */
export type VirtualService = (operation: string, input: Members) => Members;

export interface SdkOptions {
  readonly tasks: TaskScheduler;
  readonly faults: Faults;
  readonly random: Random;
  /** The endpoint of the DynamoDB engine. */
  readonly endpoint: string;
  readonly table: string;
  readonly virtual: Readonly<Record<Exclude<ServiceName, "dynamo">, VirtualService>>;
  /** The rules for overlapping writes; undefined if writes take no time. */
  readonly contention?: Contention | undefined;
  /** Called for each attempt that reaches the service, before it takes effect. */
  readonly onSend: (attempt: Attempt) => Promise<void>;
  /** Called for each attempt that took effect, before the sender receives the result. */
  readonly onDone: (attempt: Attempt) => Promise<void>;
  /** Called for each attempt that the service rejected, for example because of a condition. */
  readonly onRefused: (attempt: Attempt, error: Error) => void;
  /** Called when a process crashes before or after its request. */
  readonly onCrash: (site: string, side: "before" | "after") => void;
  /** Returns the planned fault of an attempt; undefined if there is none. */
  readonly planned?: (attempt: Attempt) => FaultKind | undefined;
}

/** The number of attempts of a request, including the first. */
const attemptsMax = 3;
const backoffMsMax = 400;
/** The durations of a process's pause, in milliseconds. */
const zombieMs = [5_000, 70_000, 4 * 60_000];
/**
 * The longest pause in milliseconds, which a task has at most once. No invocation may last an hour,
 * because the service then removes the rows of an unfinished creation.
 */
const longestZombieMs = 50 * 60_000;
const stoodLongest = new WeakSet<Task>();

function pauseOf(task: Task, random: Random): number {
  const pause = random.pick([...zombieMs, longestZombieMs]);
  if (pause < longestZombieMs) return pause;
  if (stoodLongest.has(task)) return random.pick(zombieMs);
  stoodLongest.add(task);
  return pause;
}

/**
 * Middleware of the SDK for logs and metrics. It is removed, because a request takes a quarter less
 * time without it.
 */
const idle = ["loggerMiddleware", "getUserAgentMiddleware", "recursionDetectionMiddleware"];

/**
 * Creates SDK clients whose requests may have faults. The task scheduler determines the order of
 * their attempts.
 */
export function faultyClients(options: SdkOptions) {
  const { endpoint } = options;
  const common = { ...engineClientSettings, retryStrategy: retriesAtOnce };
  const answered: Answered = new Map();
  const attach = <Client extends { middlewareStack: unknown }>(
    service: ServiceName,
    client: Client,
  ): Client => {
    const { middlewareStack: stack } = client as unknown as { middlewareStack: Stack };
    for (const name of idle) stack.remove(name);
    stack.add(
      (next, context) => (args) => {
        context["site"] = callSite();
        return next({ ...args, input: withOwnToken(args.input, options.table) });
      },
      { step: "initialize", priority: "high", name: "site" },
    );
    stack.add(
      (next, context) => (args) => attempt({ service, next, context, args, answered }, options),
      { step: "finalizeRequest", priority: "low", name: "schedule" },
    );
    return client;
  };
  const base = attach("dynamo", new DynamoDBClient({ ...common, endpoint }));
  const checksums = {
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  } as const;
  return {
    dynamo: DynamoDBDocumentClient.from(base, { marshallOptions: { removeUndefinedValues: true } }),
    sqs: attach("sqs", new SQSClient({ ...common, md5: false })),
    scheduler: attach("scheduler", new SchedulerClient(common)),
    kms: attach("kms", new KMSClient(common)),
    s3: attach("s3", new S3Client({ ...common, ...checksums })),
  };
}

/**
 * Makes a request's idempotency token unique to the table. A seed that runs twice sends the same
 * tokens twice, and the engine would treat the requests of the second run as repeats.
 */
function withOwnToken(input: Members, table: string): Members {
  const { ClientRequestToken: token } = input;
  if (typeof token !== "string") return input;
  const own = createHash("md5").update(`${table} ${token}`).digest("hex");
  return { ...input, ClientRequestToken: own };
}

interface Args {
  readonly input: Members;
  readonly request: { body: unknown; headers: Record<string, string> };
}
type Next = (args: Args) => Promise<Sent>;
type Context = Record<string, unknown>;
interface Stack {
  remove(name: string): void;
  add(
    middleware: (next: Next, context: Context) => (args: Args) => Promise<Sent>,
    where: { step: string; priority: string; name: string },
  ): void;
}

/** Retries like the SDK but without a delay, because the task scheduler adds the delay. */
const retriesAtOnce = (() => {
  const token = (count: number) => ({
    getRetryCount: () => count,
    getRetryDelay: () => 0,
    getRetryCost: () => undefined,
  });
  return {
    mode: "standard",
    maxAttempts: async () => attemptsMax,
    acquireInitialRetryToken: async () => token(0),
    refreshRetryTokenForRetry: async (
      { getRetryCount }: { getRetryCount: () => number },
      { errorType }: { errorType: string },
    ) => {
      const next = getRetryCount() + 1;
      if (next >= attemptsMax || errorType === "CLIENT_ERROR")
        throw new Error("The request has no further attempts");
      return token(next);
    },
    recordSuccess: () => {},
  };
})();

interface Line {
  readonly service: ServiceName;
  readonly next: Next;
  readonly context: Context;
  readonly args: Args;
  readonly answered: Answered;
}

async function attempt(line: Line, options: SdkOptions): Promise<Sent> {
  const { tasks, faults, random } = options;
  const { service, context, args } = line;
  const isAgain = !args.request.headers["amz-sdk-request"]?.startsWith("attempt=1;");
  const task = tasks.current();
  const one: Attempt = {
    service,
    operation: String(context["commandName"]).replace(/Command$/, ""),
    input: args.input,
    site: String(context["site"]),
    isAgain,
    task,
  };
  const pause = faults.draw("zombie") === undefined ? 0 : pauseOf(task, random);
  if (pause > 0) {
    task.hasPaused = true;
    tasks.note(`${task.name} pauses for ${pause / 1_000} s`);
  }
  const delay = pause + (isAgain ? random.between(1, backoffMsMax) : 0);
  const label = labelOf(one);
  const { contention } = options;
  const flight =
    contention?.takesTime(one) === true
      ? await tasks.call({
          label: `${label} arrives`,
          delay,
          effect: async () => contention.arrive(one),
        })
      : undefined;
  const effect = (): Promise<Sent> => mortal(one, line, { ...options, task });
  const sent = await (flight === undefined
    ? tasks.call({ label, delay, effect })
    : tasks.call({
        label,
        delay: flight.milliseconds,
        isOpen: () => flight.isNext(),
        effect: () => effect().finally(() => flight.end()),
      }));
  return sent === hangs ? unanswered(label, tasks) : sent;
}

/** The result of a request that hangs. Its sender never receives it. */
const hangs: Sent = { response: {}, output: {} };

/**
 * Waits for the timeout of an attempt, at most until the deadline of the work. Then throws the
 * timeout error.
 */
const unanswered = (label: string, tasks: TaskScheduler): Promise<never> =>
  withinBudget(limits.dependencies.attemptMs, async (milliseconds) => {
    const waited = { label: `${label}: no answer`, effect: async () => {}, delay: milliseconds };
    await tasks.call(waited);
    throw broken();
  });

/** The longest time after which a hanging request may take effect, in milliseconds. */
const lateMsMax = 60_000;
const lateShare = 0.7;

/** Starts a request that gets no response. It takes effect up to a minute later, or never. */
function later(
  one: Attempt,
  perform: () => Promise<unknown>,
  { tasks, random, plan, contention }: SdkOptions & { readonly plan: FaultKind | undefined },
): Sent {
  if (plan !== undefined || random.isHit(lateShare)) {
    const delay = random.between(1, lateMsMax);
    const meetOthers = async (): Promise<void> => {
      const flight = contention?.takesTime(one) === true ? contention.arrive(one) : undefined;
      await perform().finally(() => flight?.end());
    };
    // Ignores an error of the request, because its sender gets no response.
    const effect = (): Promise<void> => meetOthers().catch(() => {});
    tasks.begin(`a request of ${one.site}`, () =>
      tasks.call({ label: "takes effect", delay, effect }),
    );
  }
  return hangs;
}

/** Performs an attempt of a request. The process that sends it may crash before or after it. */
async function mortal(
  one: Attempt,
  line: Line,
  options: SdkOptions & { readonly task: Task },
): Promise<Sent> {
  const { tasks, faults, task, planned = () => undefined } = options;
  const plan = faults.isSuspended() || faults.isStopped() ? undefined : planned(one);
  if (plan !== undefined) faults.planned(plan);
  const death = deathOf(plan) ?? faults.draw("crash_before", "crash_after", "timed_out");
  if (death === "crash_before" || death === "timed_out") {
    if (death === "crash_before") options.onCrash(one.site, "before");
    tasks.kill(task);
  }
  if (task.state === "dead") return { response: {}, output: {} };
  try {
    // With `crash_after`, the request takes effect before its task is killed.
    return await underFault(one, line, { ...options, plan: deathOf(death) ?? plan });
  } finally {
    if (death === "crash_after") {
      options.onCrash(one.site, "after");
      tasks.kill(task);
    }
  }
}

const deathOf = (plan: FaultKind | undefined): FaultKind | undefined =>
  plan === "crash_before" || plan === "crash_after" ? plan : undefined;

/** Creates the error that the SDK throws for a broken connection. The SDK retries the request. */
const broken = (): Error => Object.assign(new Error("socket hang up"), { name: "TimeoutError" });

/** The faults that also occur at the SDK's retries of a request, by ID of the SDK's invocation. */
const lasting = new WeakMap<Faults, Map<string, FaultKind>>();
const lastingShare = 0.5;

function faultOf(
  one: Attempt,
  { args }: Line,
  { faults, random, plan }: SdkOptions & { readonly plan: FaultKind | undefined },
): FaultKind | undefined {
  if (plan !== undefined) return plan;
  const id = args.request.headers["amz-sdk-invocation-id"] ?? "";
  const known = lasting.get(faults) ?? new Map<string, FaultKind>();
  lasting.set(faults, known);
  const kept = known.get(id);
  if (kept !== undefined && !faults.isStopped()) return kept;
  const own = one.service === "dynamo" ? dynamoFaultsOf(one) : ownFaultsOf(one);
  const fault = faults.draw("request_lost", "answer_lost", "request_hangs", "throttled", ...own);
  const lasts = fault !== undefined && anyRequests.has(fault);
  if (fault !== undefined && lasts && random.isHit(lastingShare)) known.set(id, fault);
  return fault;
}

/** The faults that can occur at any request. */
const anyRequests: ReadonlySet<FaultKind> = new Set([
  "request_lost",
  "answer_lost",
  "request_hangs",
  "throttled",
]);

const ownFaultsOf = ({ service, operation }: Attempt): readonly FaultKind[] => {
  if (operation === "SendMessageBatch") return ["messages_refused"];
  return service === "kms" ? ["key_denied"] : [];
};

async function underFault(
  one: Attempt,
  line: Line,
  options: SdkOptions & { readonly plan: FaultKind | undefined },
): Promise<Sent> {
  const { random, tasks } = options;
  const fault = faultOf(one, line, options);
  if (fault !== undefined) tasks.note(`  ${fault} at ${one.site}`);
  if (fault === "request_lost") throw broken();
  if (fault === "throttled") throw throttled(one);
  if (fault === "key_denied")
    throw Object.assign(new Error("denied"), { name: "AccessDeniedException" });
  const perform = async (input: Members = one.input): Promise<Sent> => {
    tasks.addToHash(contentOf(line.args.request.body, options.table));
    await options.onSend({ ...one, input });
    try {
      const sent = await performed({ ...one, input }, line, options);
      await options.onDone({ ...one, input });
      return sent;
    } catch (error) {
      if (error instanceof Error) options.onRefused(one, error);
      throw error;
    }
  };
  if (fault === "request_hangs") return later(one, () => perform(), options);
  const { answered } = line;
  const faulty = fault === undefined ? undefined : dynamoFaults[fault];
  if (fault !== undefined && faulty !== undefined) {
    const hadNoEffect = (): void => void options.faults.hadNoEffect(fault);
    return faulty(one, { random, answered, perform, hadNoEffect, now: tasks.now() });
  }
  if (fault === "messages_refused") return refusingSome(one, random, perform);
  const sent = await perform();
  if (fault === "answer_lost") throw broken();
  if (one.service === "dynamo") remember(one, sent, { answered, now: tasks.now() });
  return sent;
}

async function performed(
  { service, operation, input }: Attempt,
  { next, args }: Line,
  { virtual }: SdkOptions,
): Promise<Sent> {
  if (service !== "dynamo") {
    return { response: {}, output: { $metadata: {}, ...virtual[service](operation, input) } };
  }
  if (input === args.input) return next(args);
  const { request } = args;
  const body = JSON.stringify(input, asOnTheWire);
  const headers = { ...request.headers, "content-length": `${Buffer.byteLength(body)}` };
  return next({ ...args, request: Object.assign(request, { body, headers }) });
}

/** Encodes binary attributes in base64, as the SDK does. */
function asOnTheWire(this: Members, name: string, value: unknown): unknown {
  const { [name]: plain } = this;
  return plain instanceof Uint8Array ? Buffer.from(plain).toString("base64") : value;
}

function throttled({ service }: Attempt): Error {
  if (service === "dynamo") return throttle();
  const name = service === "s3" ? "SlowDown" : "ThrottlingException";
  return Object.assign(new Error("throttled"), { name, $metadata: { httpStatusCode: 503 } });
}

/** Accepts some messages of a batch and reports the other messages as failed. */
async function refusingSome(
  { input }: Attempt,
  random: Random,
  perform: (input?: Members) => Promise<Sent>,
): Promise<Sent> {
  const entries = input["Entries"] as readonly { readonly Id: string }[];
  const taken = random.someNotAll(entries);
  const refused = entries.filter((entry) => !taken.includes(entry));
  const sent = await perform({ ...input, Entries: taken });
  const Failed = refused.map(({ Id }) => ({ Id, Code: "ServiceUnavailable", SenderFault: false }));
  return { ...sent, output: { ...sent.output, Failed } };
}

function labelOf({ operation, input, site }: Attempt): string {
  return `${operation} ${keysOf(input)} ${site}`;
}

/** Matches random tokens of the SDK, which differ between two runs of a seed. */
const tokenPattern = /"Client(?:Request)?Token":"[^"]*"/g;

/**
 * Returns a request's body without the table name and the tokens, which differ between two runs.
 */
function contentOf(body: unknown, table: string): string {
  const isText = typeof body === "string";
  if (!isText && !(body instanceof Uint8Array)) return "";
  const text = isText ? body : Buffer.from(body).toString("latin1");
  return text.replaceAll(`"${table}"`, "").replaceAll(tokenPattern, "");
}

type Key = Readonly<Record<string, { readonly S?: string } | undefined>>;
const keyText = (key: Key | undefined): string => `${key?.["pk"]?.S}/${key?.["sk"]?.S}`;

/** Returns the keys or the values of a request, for the trace. */
function keysOf(input: Members): string {
  const { Key: key, Item, TransactItems, ExpressionAttributeValues: values } = input;
  if (key !== undefined && typeof key === "object") return keyText(key as Key);
  if (Item !== undefined) return keyText(Item as Key);
  if (Array.isArray(TransactItems)) {
    const each = TransactItems as readonly Readonly<Record<string, { Key?: Key; Item?: Key }>>[];
    return each
      .flatMap((write) => Object.values(write))
      .map((write) => keyText(write.Item ?? write.Key))
      .join(", ");
  }
  if (values !== undefined) {
    return Object.values(values as Key)
      .map((value) => value?.S ?? "·")
      .join(" ");
  }
  const named = [input["MessageBody"], input["Name"], input["Key"]];
  return named.find((name) => typeof name === "string") ?? "";
}
