import type { Sender, SendFailure, SendResult } from "../../shared/outgoing/sender.ts";
import type { FaultKind, Faults } from "./faults.ts";
import type { Random } from "./random.ts";
import type { Task, TaskScheduler } from "./task-scheduler.ts";

/** A webhook request that a process started to send. Times are in milliseconds since 1970. */
export interface SentRequest {
  readonly url: string;
  /** The start of the request by the process's clock. */
  readonly begunAt: number;
  /** The start of the request by the virtual clock. */
  readonly startedAt: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly task: Task;
  /** The time of arrival at the receiver; null if the request never arrived. */
  arrivedAt: number | null;
  /**
   * The result from the receiver's view: the status of its response, even if the response was lost,
   * or `failed`. Null until the request arrives.
   */
  status: number | "failed" | null;
  /** True if a connection was made, so that the receiver may have the request. */
  left: boolean;
  /**
   * The number of requests that the session had in progress to this URL when this request started,
   * including this request.
   */
  readonly atOnce: number;
}

/** The behavior of a receiver for a period. */
type Mood = "fine" | "flaky" | "down" | "slow" | "busy" | "giving_up" | "odd";
const troubles: readonly Mood[] = ["flaky", "down", "slow", "busy", "giving_up", "odd", "odd"];

interface Answer {
  readonly afterMs: number;
  /** The result from the view of the receiver. */
  readonly taken: number | "failed";
  readonly result: SendResult;
}

const answered = (status: number, afterMs: number, retryAfter: string | null = null): Answer => ({
  afterMs,
  taken: status,
  result: {
    outcome: "answered",
    status,
    retryAfter,
    body: Buffer.from(`answer ${status}`),
    durationMs: afterMs,
  },
});
const failed = (
  error: SendFailure,
  afterMs: number,
  { taken = "failed", sent = true }: { taken?: number | "failed"; sent?: boolean } = {},
): Answer => ({ afterMs, taken, result: { outcome: "failed", error, sent, durationMs: afterMs } });

interface OutsideOptions {
  readonly tasks: TaskScheduler;
  readonly faults: Faults;
  readonly random: Random;
}

/** Creates simulated receivers. Each URL has a behavior that changes over time. */
export function virtualReceivers({ tasks, faults, random }: OutsideOptions) {
  const moods = new Map<string, { readonly mood: Mood; readonly until: number }>();
  const wellShare = random.pick([0.3, 0.6, 1]);
  const dead = new Set<string>();
  const sent: SentRequest[] = [];
  const moodOf = (url: string): Mood => {
    if (dead.has(url)) return "down";
    if (faults.isStopped()) return "fine";
    const known = moods.get(url);
    if (known !== undefined && known.until > tasks.now()) return known.mood;
    const mood = random.isHit(wellShare) ? "fine" : random.pick(troubles);
    const until = tasks.now() + random.pick([30_000, 10 * 60_000, 5 * 3_600_000]);
    moods.set(url, { mood, until });
    return mood;
  };
  const fine = (): Answer => answered(random.pick([200, 204]), random.between(1, 60));
  /**
   * Returns `answer()` if the fault may be injected, otherwise a success. While any receiver is
   * permanently down, also returns `answer()` after the faults have stopped.
   */
  const unless = (kind: FaultKind, answer: () => Answer): Answer =>
    faults.force(kind) || dead.size > 0 ? answer() : fine();
  const late = (): Answer => unless("receiver_slow", () => failed("timeout", 15_000));
  const refuses = (): Answer =>
    unless("receiver_refuses", () =>
      failed("connection_failed", random.between(1, 90), { sent: false }),
    );
  const fails = (): Answer =>
    random.isHit(0.5)
      ? refuses()
      : unless("receiver_5xx", () => answered(random.pick([500, 503, 404]), random.between(1, 90)));
  const busy = (): Answer =>
    unless("receiver_busy", () => {
      const seconds = random.pick([1, 40, 7_200]);
      const date = new Date(tasks.now() + seconds * 1_000).toUTCString();
      return answered(429, 5, random.pick([String(seconds), date, "soon"]));
    });
  const odd = (): Answer =>
    random.pick([
      () => unless("receiver_redirects", () => answered(301, 9)),
      () => unless("receiver_resets", () => failed("connection_failed", 40)),
      () =>
        unless("receiver_takes_and_resets", () => failed("connection_failed", 40, { taken: 200 })),
      () => unless("receiver_untrusted", () => failed("tls_failed", 30, { sent: false })),
    ])();
  const answers: Readonly<Record<Mood, () => Answer>> = {
    fine,
    flaky: () => (random.isHit(0.4) ? fails() : fine()),
    down: () => (random.isHit(0.2) ? late() : fails()),
    slow: () =>
      random.isHit(0.15)
        ? late()
        : unless("receiver_slow", () => answered(200, random.between(1_000, 14_900))),
    busy: () => (random.isHit(0.5) ? busy() : fine()),
    giving_up: () => (random.isHit(0.3) ? unless("receiver_gone", () => answered(410, 5)) : fine()),
    odd: () => (random.isHit(0.8) ? odd() : fine()),
  };
  /** Creates the sender port for a process with the given clock. */
  const sender = (now: () => Date): Sender => ({
    connect: (url) => {
      let underWay = 0;
      return {
        async send({ headers, body }) {
          underWay += 1;
          const request: SentRequest = {
            url,
            begunAt: now().getTime(),
            headers: { ...headers },
            body: Buffer.from(body).toString(),
            startedAt: tasks.now(),
            task: tasks.current(),
            arrivedAt: null,
            status: null,
            left: false,
            atOnce: underWay,
          };
          sent.push(request);
          const name = `${headers["webhook-id"]} attempt ${headers["Service-Attempt"]} to ${url}`;
          const arrive = async (): Promise<Answer> => {
            request.arrivedAt = tasks.now();
            const decided = answers[moodOf(url)]();
            request.status = decided.taken;
            request.left = decided.result.outcome === "answered" || decided.result.sent;
            tasks.note(`  ${url}: ${decided.taken} after ${decided.afterMs} ms`);
            return decided;
          };
          const answer = await tasks.call({ label: `sends ${name}`, effect: arrive });
          const { afterMs, result } = answer;
          if (afterMs > 500) {
            await tasks.call({
              label: `gets the result of ${name}`,
              effect: async () => {},
              delay: afterMs,
            });
          }
          underWay -= 1;
          return result;
        },
        close: () => {},
      };
    },
  });
  return { sent, sender, dead };
}
