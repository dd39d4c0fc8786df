import type { Chance, Clock } from "../../base/clock.ts";
import { type Circuit, circuit, type Standing } from "./circuit.ts";
import type { RateBudget } from "./rate-budget.ts";
import { retryAfterMs } from "./retry-after.ts";
import { type RetryTokens, retryTokens } from "./retry-tokens.ts";
import { type Slots, slots } from "./slots.ts";
import type { SourceCall, SourceClient, SourceReply } from "./source-client.ts";
import type { NoteEvent } from "./source-event.ts";
import { adaptiveSpeed, type Speed } from "./speed.ts";
import { tryOnce, type TryOutcome } from "./try-once.ts";
import { type Turns, turns } from "./turns.ts";

/** Tries after the first one. */
const extraTriesMax = 2;
const jitterBaseMs = 300;
const jitterCapMs = 5_000;
/** The longest time that a timer can be set to. */
const timerMsMax = 2 ** 31 - 1;

/** Statuses that any HTTP server uses for what may pass. */
export const temporaryStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

export type Answered = Extract<SourceReply, { kind: "answered" }>;

export interface SourceClientOptions {
  /** Whoever uses the same name shares the rate, in every process. */
  readonly name: string;
  readonly callsPerSecond: number;
  /** Calls that may start at one moment after a rest; at least 1. */
  readonly burst: number;
  readonly callsAtOnce: number;
  /** The longest one try may take. */
  readonly tryTimeoutMs: number;
  /** Body bytes after decompression beyond which an answer is dropped. */
  readonly bytesMax: number;
  /** Statuses by which this source says "not now". */
  readonly isTemporary: (status: number) => boolean;
  /** Tells an answer that turns the caller away; 403 and 429 are known as such. */
  readonly isBlock?: (answer: Answered) => boolean;
  readonly userAgent: string;
}

export interface SourceClientDependencies {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly budget: RateBudget;
  readonly note: NoteEvent;
}

/** What the calls to one source share within this process. */
interface Source extends SourceClientOptions, SourceClientDependencies {
  readonly slots: Slots;
  readonly turns: Turns;
  readonly speed: Speed;
  readonly circuit: Circuit;
  readonly retryTokens: RetryTokens;
  /** True once there may be connections that are used again. */
  hasAnswered: boolean;
}

/** One call on its way. */
interface Course {
  readonly call: SourceCall;
  readonly deadline: Date;
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
  tries: number;
  throttled: number;
  hadClosedConnection: boolean;
}

/** A client of one source; what limits its calls holds across all of them. */
export function sourceClient(
  options: SourceClientOptions,
  dependencies: SourceClientDependencies,
): SourceClient {
  const { name, burst } = options;
  const { clock, budget } = dependencies;
  const speed = adaptiveSpeed(options.callsPerSecond);
  const source: Source = {
    ...options,
    ...dependencies,
    slots: slots(options.callsAtOnce),
    turns: turns({ source: name, burst, speed, budget, clock }),
    speed,
    circuit: circuit(),
    retryTokens: retryTokens(),
    hasAnswered: false,
  };
  return { send: (call, deadline) => send(call, deadline, source) };
}

async function send(call: SourceCall, deadline: Date, source: Source): Promise<SourceReply> {
  const { clock, note } = source;
  const wantedAt = clock.now().getTime();
  const abort = new AbortController();
  const leftMs = Math.min(timerMsMax, Math.max(0, deadline.getTime() - wantedAt));
  const timer = setTimeout(() => abort.abort(), leftMs);
  const counts = { tries: 0, throttled: 0, hadClosedConnection: false };
  const course: Course = { call, deadline, signal: abort.signal, ...counts };
  try {
    source.retryTokens.earn();
    const reply = await triesOf(course, source);
    const milliseconds = clock.now().getTime() - wantedAt;
    const { tries, throttled } = course;
    note({ kind: "call", reply: reply.kind, milliseconds, tries, throttled });
    return reply;
  } finally {
    clearTimeout(timer);
  }
}

/** Tries until an answer is not temporary, or there is no leave or no time for another try. */
async function triesOf(course: Course, source: Source): Promise<SourceReply> {
  for (;;) {
    const reply = await tryInTurn(course, source);
    if (!mayPass(reply, source)) return reply;
    if (course.tries > extraTriesMax || !source.retryTokens.spend()) return reply;
    if (!(await rested(reply, course, source))) return { kind: "no_time" };
  }
}

const mayPass = (reply: SourceReply, { isTemporary }: Source): boolean =>
  reply.kind === "broken" || (reply.kind === "answered" && isTemporary(reply.status));

/** Waits as the source asks, else a random while; false when the deadline would be missed. */
async function rested(reply: SourceReply, course: Course, source: Source): Promise<boolean> {
  const { clock, chance } = source;
  const now = clock.now();
  const asked = reply.kind === "answered" ? reply.headers.get("retry-after") : undefined;
  const bound = Math.min(jitterCapMs, jitterBaseMs * 2 ** (course.tries - 1));
  const waitMs = retryAfterMs(asked ?? null, now) ?? Math.round(chance.fraction() * bound);
  if (now.getTime() + waitMs >= course.deadline.getTime()) return false;
  await clock.sleep(waitMs);
  return true;
}

/** One try, once there is a free place and the rate allows it. */
async function tryInTurn(course: Course, source: Source): Promise<SourceReply> {
  const { deadline, signal } = course;
  const { clock, slots: places } = source;
  if (!source.circuit.mayEnter(clock.now())) return { kind: "circuit_open" };
  if (!(await places.take(signal))) return { kind: "no_time" };
  try {
    if (!source.circuit.mayEnter(clock.now())) return { kind: "circuit_open" };
    if (!(await unlessAborted(source.turns.take(deadline), signal))) return { kind: "no_time" };
    if (!source.circuit.enter(clock.now())) return { kind: "circuit_open" };
    return await tryNow(course, source);
  } finally {
    places.give();
  }
}

async function tryNow(course: Course, source: Source): Promise<SourceReply> {
  const startedAt = source.clock.now();
  course.tries += 1;
  let outcome = await oneTry(course, source);
  const wasClosed = outcome.kind === "broken" && outcome.wasClosed;
  if (wasClosed && source.hasAnswered && !course.hadClosedConnection) {
    // A connection kept from before was closed meanwhile: the source saw nothing of this call.
    course.hadClosedConnection = true;
    outcome = await oneTry(course, source);
  }
  learn(outcome, { startedAt, source });
  if (outcome.kind !== "answered") return { kind: outcome.kind };
  if (outcome.status === 429) course.throttled += 1;
  return outcome;
}

const oneTry = (course: Course, source: Source): Promise<TryOutcome> =>
  tryOnce(course.call, {
    headers: { "User-Agent": source.userAgent, "Accept-Language": "en-US" },
    signal: AbortSignal.any([course.signal, AbortSignal.timeout(source.tryTimeoutMs)]),
    bytesMax: source.bytesMax,
  });

/** Draws the conclusions from a try for the calls to come. */
function learn(
  outcome: TryOutcome,
  { startedAt, source }: { readonly startedAt: Date; readonly source: Source },
): void {
  const now = source.clock.now();
  const standing = standingOf(outcome, source);
  if (outcome.kind === "answered") {
    source.hasAnswered = true;
    const isBusy = standing === "too_often" || outcome.status === 503;
    if (isBusy || standing === "welcome") source.speed.note({ isBusy, startedAt }, now);
  }
  if (source.circuit.leave(standing, { startedAt, now })) source.note({ kind: "circuit_opened" });
}

function standingOf(outcome: TryOutcome, source: Source): Standing {
  if (outcome.kind === "too_large") return "welcome";
  if (outcome.kind === "broken") return "unknown";
  if (outcome.status === 429) return "too_often";
  if (outcome.status === 403 || source.isBlock?.(outcome) === true) return "blocked";
  return outcome.status >= 500 ? "unknown" : "welcome";
}

/** What the work comes to, or false as soon as the signal aborts. */
function unlessAborted(work: Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(false);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
