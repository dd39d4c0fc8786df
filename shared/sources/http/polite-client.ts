import type { RandomSource, Clock } from "../../base/clock.ts";
import type { Standing } from "./circuit.ts";
import type { RateBudget } from "./rate-budget.ts";
import { retryAfterMs } from "./retry-after.ts";
import type { SourceCall, SourceClient, SourceReply } from "./source-client.ts";
import type { NoteEvent } from "./source-event.ts";
import {
  type SourcePace,
  type SourceState,
  sourceState,
  type SourceStates,
} from "./source-state.ts";
import { tryOnce, type TryOutcome } from "./try-once.ts";

/** Tries after the first one. */
const extraTriesMax = 2;
const jitterBaseMs = 300;
const jitterCapMs = 5_000;
/** The longest time that a timer can be set to. */
const timerMsMax = 2 ** 31 - 1;

/** Statuses that any HTTP server uses for what may pass. */
export const temporaryStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

export type Answered = Extract<SourceReply, { kind: "answered" }>;

export interface SourceClientOptions extends SourcePace {
  /** The longest one try may take. */
  readonly tryTimeoutMs: number;
  /** Body bytes after decompression beyond which an answer is dropped. */
  readonly bytesMax: number;
  /** Statuses by which this source says "not now". */
  readonly isTemporary: (status: number) => boolean;
  /**
   * Tells an answer that turns the caller away, whatever is asked for; a 429 is known as such.
   * @default - every 403
   */
  readonly isBlock?: (answer: Answered) => boolean;
  /**
   * Tells a 429 that is this source's usual way to answer, for which it has rules of its own.
   * @default - none is
   */
  readonly isUsual?: (answer: Answered) => boolean;
  readonly userAgent: string;
}

export interface SourceClientDependencies {
  readonly clock: Clock;
  readonly chance: RandomSource;
  readonly budget: RateBudget;
  readonly note: NoteEvent;
  /**
   * Where the clients of this process keep what they share of a source.
   * @default - this client shares with no other
   */
  readonly states?: SourceStates;
}

/** A source as one client sees it. */
interface Source extends SourceClientOptions, SourceClientDependencies {
  readonly state: SourceState;
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
  /** What the last try came to. */
  lastTry?: { readonly word: string; readonly spoke: "yes" | "busy" | "no" };
}

/**
 * A client of one source. What limits its calls holds across all of them, and across those of other
 * clients with which it shares its states.
 */
export function sourceClient(
  options: SourceClientOptions,
  dependencies: SourceClientDependencies,
): SourceClient {
  const make = (): SourceState => sourceState(options, dependencies);
  const state = dependencies.states?.(options.name, make) ?? make();
  const source: Source = { ...options, ...dependencies, state };
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
    source.state.retryTokens.earn();
    const reply = await triesOf(course, source);
    const milliseconds = clock.now().getTime() - wantedAt;
    const { tries, throttled } = course;
    note({ kind: "call", ...endingOf(reply, course), milliseconds, tries, throttled });
    return reply;
  } finally {
    clearTimeout(timer);
  }
}

/** What the operator hears of a call; where there was no time to try again, how the last try went. */
function endingOf(
  reply: SourceReply,
  { lastTry }: Course,
): { readonly reply: string; readonly spoke: "yes" | "busy" | "no" } {
  const isLate = reply.kind === "no_time";
  const hasTried = reply.kind === "answered" || reply.kind === "broken" || isLate;
  if (!hasTried || lastTry === undefined) return { reply: reply.kind, spoke: "no" };
  return { reply: lastTry.word, spoke: lastTry.spoke };
}

function lastTryOf(outcome: TryOutcome, standing: Standing): NonNullable<Course["lastTry"]> {
  if (outcome.kind === "broken") return { word: outcome.error, spoke: "no" };
  if (outcome.kind === "too_large") return { word: outcome.kind, spoke: "no" };
  const word = `${Math.floor(outcome.status / 100)}xx`;
  if (standing === "too_often") return { word, spoke: "busy" };
  return { word, spoke: outcome.status < 500 ? "yes" : "no" };
}

/** Tries until an answer is not temporary, or there is no leave or no time for another try. */
async function triesOf(course: Course, source: Source): Promise<SourceReply> {
  for (;;) {
    const reply = await tryInTurn(course, source);
    if (!mayPass(reply, source)) return reply;
    if (course.tries > extraTriesMax || !source.state.retryTokens.spend()) return reply;
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
  const { call, deadline, signal } = course;
  const { clock, state } = source;
  const { slots: places, circuit, turns } = state;
  if (!circuit.mayEnter(clock.now())) return { kind: "circuit_open" };
  if (!(await places.take(signal))) return { kind: "no_time" };
  try {
    if (!circuit.mayEnter(clock.now())) return { kind: "circuit_open" };
    const turn = turns.take({ deadline, gapMs: call.gapMs ?? 0 });
    if (!(await unlessAborted(turn, signal))) return { kind: "no_time" };
    if (!circuit.enter(clock.now())) return { kind: "circuit_open" };
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
  if (wasClosed && source.state.hasAnswered && !course.hadClosedConnection) {
    // A connection kept from before was closed meanwhile: the source saw nothing of this call.
    course.hadClosedConnection = true;
    outcome = await oneTry(course, source);
  }
  const standing = standingOf(outcome, source);
  learn(outcome, standing, { startedAt, source });
  course.lastTry = lastTryOf(outcome, standing);
  if (outcome.kind !== "answered") return { kind: outcome.kind };
  if (outcome.status === 429) course.throttled += 1;
  return outcome;
}

function oneTry({ call, deadline, signal }: Course, source: Source): Promise<TryOutcome> {
  const { clock, tryTimeoutMs, userAgent, bytesMax } = source;
  const { method, url, body, headers } = call;
  const leftMs = Math.min(tryTimeoutMs, deadline.getTime() - clock.now().getTime());
  const text = typeof body === "function" ? body(Math.max(0, leftMs)) : body;
  const own = typeof headers === "function" ? headers() : headers;
  return tryOnce(
    { method, url, ...(text !== undefined && { body: text }) },
    {
      headers: { "User-Agent": userAgent, "Accept-Language": "en-US", ...own },
      signal: AbortSignal.any([signal, AbortSignal.timeout(tryTimeoutMs)]),
      bytesMax,
    },
  );
}

/** Draws the conclusions from a try for the calls to come. */
function learn(
  outcome: TryOutcome,
  standing: Standing,
  { startedAt, source }: { readonly startedAt: Date; readonly source: Source },
): void {
  const now = source.clock.now();
  if (outcome.kind === "answered") {
    source.state.hasAnswered = true;
    const isBusy = standing === "too_often" || outcome.status === 503;
    if (isBusy || standing === "welcome") source.state.speed.note({ isBusy, startedAt }, now);
  }
  if (source.state.circuit.leave(standing, { startedAt, now }))
    source.note({ kind: "circuit_opened" });
}

const isForbidden = ({ status }: Answered): boolean => status === 403;

function standingOf(outcome: TryOutcome, source: Source): Standing {
  if (outcome.kind === "too_large") return "welcome";
  if (outcome.kind === "broken") return "unknown";
  const { isBlock = isForbidden, isUsual } = source;
  if (outcome.status === 429) return isUsual?.(outcome) === true ? "welcome" : "too_often";
  if (isBlock(outcome)) return "blocked";
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
