import type { EventBodies } from "../../shared/events/event-archive.ts";
import type { BucketOutcome, CustomerBuckets } from "../../shared/exports/customer-bucket.ts";
import type { Sender, SendResult } from "../../shared/webhooks/sender.ts";
import type { DeliveryFaults } from "./delivery-faults-kinds.ts";
import { Injected } from "./faulty-client.ts";
import type { Random } from "./faulty-random.ts";
import type { Turns } from "./faulty-turns.ts";

/** Makes a call of a process, after `delay` milliseconds at least. */
export type CallOf = <T>(label: string, effect: () => Promise<T>, delay?: number) => Promise<T>;

/** A request that a process began to send. */
export interface SentRequest {
  readonly url: string;
  /** When the process began to send it, in milliseconds. */
  readonly begunAt: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly task: string;
  /** When it arrived; null when it never did. */
  arrivedAt: number | null;
  /** What the receiver made of it, whether or not the process came to know. */
  status: number | "failed" | null;
  /** When the process came to know. */
  answeredAt: number | null;
}

/** How a receiver takes what it is sent; by itself, besides what the network does. */
type Mood = "fine" | "flaky" | "down" | "slow" | "busy" | "giving_up";

interface Answer {
  readonly afterMs: number;
  readonly result: SendResult;
}

const answered = (status: number, afterMs: number, retryAfter: string | null = null): Answer => ({
  afterMs,
  result: {
    outcome: "answered",
    status,
    retryAfter,
    body: Buffer.from(`answer ${status}`),
    durationMs: afterMs,
  },
});
const failed = (error: "timeout" | "connection_failed", afterMs: number): Answer => ({
  afterMs,
  result: { outcome: "failed", error, durationMs: afterMs },
});

interface OutsideOptions {
  readonly turns: Turns;
  readonly faults: DeliveryFaults;
  readonly random: Random;
}

/** Receivers by URL, each with a mood that changes now and then. */
export function virtualReceivers({ turns, faults, random }: OutsideOptions) {
  const moods = new Map<string, { mood: Mood; until: number }>();
  const wellShare = random.pick([0.3, 0.6, 1]);
  /** Receivers that no end of faults brings back. */
  const dead = new Set<string>();
  const sent: SentRequest[] = [];
  const moodOf = (url: string): Mood => {
    if (dead.has(url)) return "down";
    if (faults.isStopped()) return "fine";
    const known = moods.get(url);
    if (known !== undefined && known.until > turns.now()) return known.mood;
    const mood = random.isHit(wellShare)
      ? "fine"
      : random.pick<Mood>(["flaky", "down", "slow", "busy", "giving_up"]);
    const until = turns.now() + random.pick([30_000, 10 * 60_000, 5 * 3_600_000]);
    moods.set(url, { mood, until });
    return mood;
  };
  const fail = (): Answer => {
    faults.count("receiver_fails");
    return random.isHit(0.5)
      ? answered(random.pick([500, 503, 404, 301]), random.between(1, 90))
      : failed("connection_failed", random.between(1, 90));
  };
  const late = (): Answer => {
    faults.count("receiver_times_out");
    return failed("timeout", 15_000);
  };
  const slow = (): Answer => {
    faults.count("receiver_is_slow");
    return answered(200, random.between(1_000, 14_900));
  };
  const busy = (): Answer => {
    faults.count("receiver_is_busy");
    const seconds = random.pick([1, 40, 7_200]);
    const date = new Date(turns.now() + seconds * 1_000).toUTCString();
    return answered(429, 5, random.pick([String(seconds), date, "soon"]));
  };
  const gone = (): Answer => {
    faults.count("receiver_is_gone");
    return answered(410, 5);
  };
  const fine = (): Answer => answered(random.pick([200, 204]), random.between(1, 60));
  const answers: Readonly<Record<Mood, () => Answer>> = {
    fine,
    flaky: () => (random.isHit(0.4) ? fail() : fine()),
    down: () => (random.isHit(0.2) ? late() : fail()),
    slow: () => (random.isHit(0.15) ? late() : slow()),
    busy: () => (random.isHit(0.5) ? busy() : fine()),
    giving_up: () => (random.isHit(0.3) ? gone() : fine()),
  };
  /** A process's way to send. */
  const port = (call: CallOf, task: () => string): Sender => ({
    connect: (url) => ({
      async send({ headers, body }) {
        const request: SentRequest = {
          url,
          begunAt: Math.floor(turns.now()),
          headers,
          body: Buffer.from(body).toString(),
          task: task(),
          arrivedAt: null,
          status: null,
          answeredAt: null,
        };
        sent.push(request);
        const name = `${headers["webhook-id"]} attempt ${headers["Service-Attempt"]} to ${url}`;
        const answer = await call(`sends ${name}`, async () => {
          request.arrivedAt = turns.now();
          const decided = answers[moodOf(url)]();
          const { result } = decided;
          request.status = result.outcome === "answered" ? result.status : "failed";
          turns.note(`  ${request.status} after ${decided.afterMs} ms`);
          return decided;
        });
        if (answer.afterMs > 500) await call("hears of it", async () => {}, answer.afterMs);
        request.answeredAt = turns.now();
        return answer.result;
      },
      close: () => {},
    }),
  });
  return { sent, port, dead };
}

/** An object as it came into a bucket. */
export interface StoredObject {
  readonly bytes: Buffer;
  readonly at: number;
}

/** A write that a process began to make. */
export interface BucketPut {
  readonly bucket: string;
  readonly key: string;
  readonly begunAt: number;
  readonly task: string;
}

/** What was in a bucket when a manifest came, and what it lists. */
export interface StoredManifest {
  readonly bucket: string;
  readonly key: string;
  readonly missing: readonly string[];
}

/** Customers' buckets by name; a bucket fails for a while, or a call does. */
export function virtualBuckets({ turns, faults, random }: OutsideOptions) {
  const buckets = new Map<string, Map<string, StoredObject>>();
  const manifests: StoredManifest[] = [];
  const puts: BucketPut[] = [];
  const downUntil = new Map<string, number>();
  let isDead = false;
  const objectsOf = (bucket: string): Map<string, StoredObject> => {
    const objects = buckets.get(bucket) ?? new Map<string, StoredObject>();
    buckets.set(bucket, objects);
    return objects;
  };
  const isDown = (bucket: string): boolean => {
    if (isDead) return true;
    if (faults.isStopped()) return false;
    if ((downUntil.get(bucket) ?? 0) > turns.now()) return true;
    if (faults.draw("bucket_fails") === undefined) return false;
    downUntil.set(bucket, turns.now() + random.pick([0, 60_000, 3 * 3_600_000]));
    return true;
  };
  const done: BucketOutcome = { outcome: "done" };
  const made = (bucket: string, effect: () => void): BucketOutcome => {
    if (isDown(bucket)) return { outcome: "failed", reason: "SlowDown" };
    effect();
    return faults.draw("bucket_answer_lost") === undefined
      ? done
      : { outcome: "failed", reason: "timeout" };
  };
  const keep = (bucket: string, key: string, bytes: Uint8Array): void => {
    const objects = objectsOf(bucket);
    objects.set(key, { bytes: Buffer.from(bytes), at: turns.now() });
    if (!key.endsWith("_manifest.json")) return;
    const listed = JSON.parse(Buffer.from(bytes).toString()) as { objects: { key: string }[] };
    const missing = listed.objects.map((one) => one.key).filter((one) => !objects.has(one));
    manifests.push({ bucket, key, missing });
  };
  const port = (call: CallOf, task: () => string): CustomerBuckets => ({
    open: ({ bucket }) => ({
      put({ key, bytes }) {
        puts.push({ bucket, key, begunAt: Math.floor(turns.now()), task: task() });
        return call(`puts ${bucket}/${key}`, async () =>
          made(bucket, () => keep(bucket, key, bytes)),
        );
      },
      delete: (key) =>
        call(`deletes ${bucket}/${key}`, async () =>
          made(bucket, () => void objectsOf(bucket).delete(key)),
        ),
      close: () => {},
    }),
  });
  return {
    buckets,
    manifests,
    puts,
    port,
    /** From now on every call to any bucket fails, or none does any more. */
    setDead(so: boolean): void {
      isDead = so;
    },
  };
}

/** The service's own store of event bodies; refuses that share of requests besides. */
export function virtualBodies({
  faults,
  random,
  refusedShare,
}: Omit<OutsideOptions, "turns"> & { readonly refusedShare: number }) {
  const stored = new Map<string, Buffer>();
  const refuse = (): void => {
    const isRefused = !faults.isStopped() && random.isHit(refusedShare);
    if (isRefused || faults.draw("bodies_refused") !== undefined) throw new Injected("SlowDown");
  };
  const port = (call: CallOf): EventBodies => ({
    put: (key, bytes) =>
      call(`stores ${key}`, async () => {
        refuse();
        const before = stored.get(key);
        if (before !== undefined && !before.equals(bytes)) {
          throw new Error(`${key} came again with other bytes`);
        }
        stored.set(key, Buffer.from(bytes));
        if (faults.draw("bodies_answer_lost")) throw new Injected("TimeoutError");
      }),
    get: (key, range) =>
      call(`reads ${key}${range === undefined ? "" : ` ${range.start}-${range.end}`}`, async () => {
        refuse();
        const found = stored.get(key);
        if (found === undefined) return null;
        return Uint8Array.from(
          range === undefined ? found : found.subarray(range.start, range.end),
        );
      }),
  });
  return { port };
}
