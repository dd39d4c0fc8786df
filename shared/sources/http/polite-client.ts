import type { RandomSource, Clock } from "../../base/clock.ts";
import type { CircuitSignal } from "./circuit.ts";
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

/** The maximum number of retries after the first try. */
const extraTriesMax = 2;
const jitterBaseMs = 300;
const jitterCapMs = 5_000;
/** The longest time for which one response can stop all calls to a source, in milliseconds. */
const pauseMsMax = 5 * 60_000;
/** The longest delay that a Node.js timer supports, in milliseconds. */
const timerMsMax = 2 ** 31 - 1;

/** Statuses that indicate a temporary failure of any HTTP server. */
export const temporaryStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** A reply with the complete response of the source, whatever its status. */
export type Answered = Extract<SourceReply, { kind: "answered" }>;

/** The limits of a client of a source, and how it classifies responses. */
export interface SourceClientOptions extends SourcePace {
  /** The time limit of one try, in milliseconds. */
  readonly tryTimeoutMs: number;
  /** The maximum size of the body after decompression, in bytes. */
  readonly bytesMax: number;
  /** Returns true for statuses after which the call may be retried. */
  readonly isTemporary: (status: number) => boolean;
  /**
   * Returns an object if a response requests a wait in its body, with the wait in milliseconds if
   * the body states it. Returns undefined for any other response. A call with such a response may
   * be retried whatever its status. `Retry-After` takes precedence over `waitMs`. Without either,
   * the wait is random.
   * @default no response requests a wait in its body
   */
  readonly asksToWait?: (answer: Answered) => { readonly waitMs?: number } | undefined;
  /**
   * Returns true if a response shows that the source refuses all calls of this client. It is not
   * called for a 429.
   * @default true for every 403
   */
  readonly isBlock?: (answer: Answered) => boolean;
  /**
   * Returns true for a 429 that is a normal response of this source, which its adapter handles.
   * @default false for every 429
   */
  readonly isUsual?: (answer: Answered) => boolean;
  readonly userAgent: string;
}

export interface SourceClientDependencies {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly budget: RateBudget;
  readonly note: NoteEvent;
  /**
   * The states of all sources, which the clients of this process share.
   * @default this client has a separate state
   */
  readonly states?: SourceStates;
}

/** The state of a source, with the options and dependencies of one client of the source. */
interface Source extends SourceClientOptions, SourceClientDependencies {
  readonly state: SourceState;
}

/** The state of one call. */
interface RequestState {
  readonly call: SourceCall;
  readonly deadline: Date;
  /** A signal that is aborted at the deadline of the call. */
  readonly signal: AbortSignal;
  tries: number;
  throttled: number;
  hadClosedConnection: boolean;
  /** The result of the last try: one word for the log, and whether the source responded. */
  lastTry?: { readonly word: string; readonly responded: "yes" | "busy" | "no" };
}

/**
 * Creates a client of one source. All clients with the same `states` and source name share the
 * source's limits. A client retries a temporary failure at most twice. If the source fails, the
 * client returns the failure as a reply and does not throw.
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

/** Sends a call with its retries, and reports the call as one event. */
async function send(call: SourceCall, deadline: Date, source: Source): Promise<SourceReply> {
  const { clock, note } = source;
  const wantedAt = clock.now().getTime();
  const abort = new AbortController();
  const leftMs = Math.min(timerMsMax, Math.max(0, deadline.getTime() - wantedAt));
  const timer = setTimeout(() => abort.abort(), leftMs);
  const counts = { tries: 0, throttled: 0, hadClosedConnection: false };
  const request: RequestState = { call, deadline, signal: abort.signal, ...counts };
  try {
    source.state.retryTokens.earn();
    const reply = await sendWithRetries(request, source);
    const milliseconds = clock.now().getTime() - wantedAt;
    const { tries, throttled } = request;
    note({ kind: "call", ...callResultOf(reply, request), milliseconds, tries, throttled });
    return reply;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns the result of a call for its `SourceEvent`. If there was no time for a retry, this is the
 * result of the last try.
 */
function callResultOf(
  reply: SourceReply,
  { lastTry }: RequestState,
): { readonly reply: string; readonly responded: "yes" | "busy" | "no" } {
  const isLate = reply.kind === "no_time";
  const hasTried = reply.kind === "answered" || reply.kind === "broken" || isLate;
  if (!hasTried || lastTry === undefined) return { reply: reply.kind, responded: "no" };
  return { reply: lastTry.word, responded: lastTry.responded };
}

/** Returns the result of a try for the event of its call. */
function lastTryOf(
  outcome: TryOutcome,
  circuitSignal: CircuitSignal,
): NonNullable<RequestState["lastTry"]> {
  if (outcome.kind === "broken") return { word: outcome.error, responded: "no" };
  if (outcome.kind === "too_large") return { word: outcome.kind, responded: "no" };
  const word = `${Math.floor(outcome.status / 100)}xx`;
  if (circuitSignal === "throttled") return { word, responded: "busy" };
  return { word, responded: outcome.status < 500 ? "yes" : "no" };
}

/**
 * Sends the call. If the reply is a temporary failure, retries the call as long as the limits and
 * the deadline allow it.
 */
async function sendWithRetries(request: RequestState, source: Source): Promise<SourceReply> {
  for (;;) {
    const reply = await tryWhenAllowed(request, source);
    if (!isRetryable(reply, source)) return reply;
    if (request.tries > extraTriesMax || !source.state.retryTokens.spend()) return reply;
    if (!(await waitBeforeRetry(reply, request, source))) return { kind: "no_time" };
  }
}

const isRetryable = (reply: SourceReply, { isTemporary, asksToWait }: Source): boolean =>
  reply.kind === "broken" ||
  (reply.kind === "answered" && (isTemporary(reply.status) || asksToWait?.(reply) !== undefined));

/**
 * Waits for the time in `Retry-After`, otherwise for the time in the body, otherwise for a random
 * time. Returns false without waiting if the wait would end after the deadline.
 */
async function waitBeforeRetry(
  reply: SourceReply,
  request: RequestState,
  source: Source,
): Promise<boolean> {
  const { clock, random } = source;
  const now = clock.now();
  const bound = Math.min(jitterCapMs, jitterBaseMs * 2 ** (request.tries - 1));
  const waitMs = waitMsIn(reply, now, source) ?? Math.round(random.fraction() * bound);
  if (now.getTime() + waitMs >= request.deadline.getTime()) return false;
  await clock.sleep(waitMs);
  return true;
}

/**
 * Waits until the end of the pause that the source requested in a response to another call, and
 * returns true. Returns false without waiting if the pause ends after the deadline. A retry does
 * not wait here, because it has already waited.
 */
async function waitForPause(request: RequestState, source: Source): Promise<boolean> {
  const { clock, state } = source;
  const waitMs = state.pausedUntil - clock.now().getTime();
  if (request.tries > 0 || waitMs <= 0) return true;
  if (clock.now().getTime() + waitMs >= request.deadline.getTime()) return false;
  await clock.sleep(waitMs);
  return true;
}

/**
 * Returns the wait that a reply requests in its header or body, in milliseconds; undefined if it
 * requests none.
 */
function waitMsIn(reply: SourceReply, now: Date, { asksToWait }: Source): number | undefined {
  if (reply.kind !== "answered") return undefined;
  const header = reply.headers.get("retry-after") ?? null;
  return retryAfterMs(header, now) ?? asksToWait?.(reply)?.waitMs;
}

/** Waits for a free slot and for the rate limit, then makes one try. */
async function tryWhenAllowed(request: RequestState, source: Source): Promise<SourceReply> {
  const { call, deadline, signal } = request;
  const { clock, state } = source;
  const { slots: places, circuit, turns } = state;
  if (!circuit.admits(clock.now())) return { kind: "circuit_open" };
  if (!(await places.take(signal))) return { kind: "no_time" };
  try {
    if (!circuit.admits(clock.now())) return { kind: "circuit_open" };
    const turn = turns.take({ deadline, gapMs: call.gapMs ?? 0 });
    if (!(await unlessAborted(turn, signal))) return { kind: "no_time" };
    if (!(await waitForPause(request, source))) return { kind: "no_time" };
    if (!circuit.enter(clock.now())) return { kind: "circuit_open" };
    return await tryNow(request, source);
  } finally {
    places.give();
  }
}

/**
 * Makes one try without further waits, and records its result. Sends the call a second time if the
 * source had closed the idle connection.
 */
async function tryNow(request: RequestState, source: Source): Promise<SourceReply> {
  const startedAt = source.clock.now();
  request.tries += 1;
  let outcome = await oneTry(request, source);
  const wasClosed = outcome.kind === "broken" && outcome.wasClosed;
  if (wasClosed && source.state.hasAnswered && !request.hadClosedConnection) {
    // The source had probably closed the idle connection before this call, and did not receive the
    // call. The call is therefore sent again, without counting as a retry.
    request.hadClosedConnection = true;
    outcome = await oneTry(request, source);
  }
  const circuitSignal = circuitSignalOf(outcome, source);
  recordOutcome(outcome, circuitSignal, { startedAt, source });
  request.lastTry = lastTryOf(outcome, circuitSignal);
  if (outcome.kind !== "answered") return { kind: outcome.kind };
  if (outcome.status === 429) request.throttled += 1;
  return outcome;
}

/** Sends one HTTP request, with the time that the try and the call have left. */
function oneTry({ call, deadline, signal }: RequestState, source: Source): Promise<TryOutcome> {
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

/**
 * Records the result of a try: in the circuit, in the adaptive rate, and in the time until which
 * the source requests its callers to wait.
 */
function recordOutcome(
  outcome: TryOutcome,
  circuitSignal: CircuitSignal,
  { startedAt, source }: { readonly startedAt: Date; readonly source: Source },
): void {
  const now = source.clock.now();
  if (outcome.kind === "answered") {
    source.state.hasAnswered = true;
    const isBusy = circuitSignal === "throttled" || outcome.status === 503;
    if (isBusy || circuitSignal === "accepted") source.state.speed.note({ isBusy, startedAt }, now);
    const asked = isBusy || source.asksToWait?.(outcome) !== undefined;
    const waitMs = asked ? (waitMsIn(outcome, now, source) ?? 0) : 0;
    const pausedUntil = now.getTime() + Math.min(pauseMsMax, waitMs);
    source.state.pausedUntil = Math.max(source.state.pausedUntil, pausedUntil);
  }
  if (source.state.circuit.leave(circuitSignal, { startedAt, now }))
    source.note({ kind: "circuit_opened" });
}

const isForbidden = ({ status }: Answered): boolean => status === 403;

/** Returns the result of a try as the circuit counts it. */
function circuitSignalOf(outcome: TryOutcome, source: Source): CircuitSignal {
  if (outcome.kind === "too_large") return "accepted";
  if (outcome.kind === "broken") return "unknown";
  const { isBlock = isForbidden, isUsual } = source;
  if (outcome.status === 429) return isUsual?.(outcome) === true ? "accepted" : "throttled";
  if (isBlock(outcome)) return "blocked";
  return outcome.status >= 500 ? "unknown" : "accepted";
}

/** Resolves to the result of the work, or to false when the signal aborts. */
function unlessAborted(work: Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(false);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
