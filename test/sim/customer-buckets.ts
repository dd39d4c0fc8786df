import type { BucketOutcome, CustomerBuckets } from "../../shared/exports/customer-bucket.ts";
import type { Faults } from "./faults.ts";
import type { Random } from "./random.ts";
import type { Task, TaskScheduler } from "./task-scheduler.ts";

/** An object in a customer's bucket. Times are in milliseconds of the virtual clock. */
export interface StoredObject {
  readonly bytes: Buffer;
  readonly at: number;
}

/** A write to a bucket that a process started. */
export interface BucketPut {
  readonly bucket: string;
  readonly key: string;
  readonly begunAt: number;
  readonly task: Task;
}

/**
 * A stored manifest. `missing`: the listed keys whose objects were not in the bucket when the
 * manifest was stored. `rowsKey`, `snapshotKey`: the keys of the Parquet files that the manifest
 * lists; undefined if it lists none of that kind.
 */
export interface StoredManifest {
  readonly bucket: string;
  readonly key: string;
  readonly missing: readonly string[];
  readonly rowsKey: string | undefined;
  readonly snapshotKey: string | undefined;
}

interface OutsideOptions {
  readonly tasks: TaskScheduler;
  readonly faults: Faults;
  readonly random: Random;
}

const done: BucketOutcome = { outcome: "done" };
const reasons = {
  bucket_denied: "AccessDenied",
  bucket_absent: "NoSuchBucket",
  bucket_elsewhere: "PermanentRedirect",
  bucket_slow_down: "SlowDown",
} as const;

/**
 * Creates simulated buckets of customers. Faults make a bucket fail for a period, or make a single
 * call fail.
 */
export function virtualCustomerBuckets({ tasks, faults, random }: OutsideOptions) {
  const buckets = new Map<string, Map<string, StoredObject>>();
  const manifests: StoredManifest[] = [];
  const puts: BucketPut[] = [];
  const down = new Map<string, { readonly reason: string; readonly until: number }>();
  let isDead = false;
  const objectsOf = (bucket: string): Map<string, StoredObject> => {
    const objects = buckets.get(bucket) ?? new Map<string, StoredObject>();
    buckets.set(bucket, objects);
    return objects;
  };
  /** Returns the error of a bucket that fails at the moment; undefined if it works. */
  const trouble = (bucket: string): string | undefined => {
    if (isDead) return "NoSuchBucket";
    if (faults.isStopped()) return undefined;
    const known = down.get(bucket);
    if (known !== undefined && known.until > tasks.now()) return known.reason;
    const fault = faults.draw(
      "bucket_denied",
      "bucket_absent",
      "bucket_elsewhere",
      "bucket_slow_down",
    );
    if (fault === undefined) return undefined;
    const reason = reasons[fault as keyof typeof reasons];
    down.set(bucket, { reason, until: tasks.now() + random.pick([0, 60_000, 3 * 3_600_000]) });
    return reason;
  };
  const made = (bucket: string, effect: () => void): BucketOutcome => {
    const reason = trouble(bucket);
    if (reason !== undefined) return { outcome: "failed", reason };
    effect();
    return faults.draw("bucket_answer_lost") === undefined
      ? done
      : { outcome: "failed", reason: "timeout" };
  };
  const keep = (bucket: string, key: string, bytes: Uint8Array): void => {
    const objects = objectsOf(bucket);
    objects.set(key, { bytes: Buffer.from(bytes), at: tasks.now() });
    if (!key.endsWith("_manifest.json")) return;
    const listed = JSON.parse(Buffer.from(bytes).toString()) as {
      objects: { key: string }[];
      rows: { key: string } | null;
      snapshot: { key: string } | null;
    };
    const tables = [listed.rows, listed.snapshot].filter((one) => one !== null);
    const files = [...listed.objects, ...tables];
    const missing = files.map((one) => one.key).filter((one) => !objects.has(one));
    const [rowsKey, snapshotKey] = [listed.rows?.key, listed.snapshot?.key];
    manifests.push({ bucket, key, missing, rowsKey, snapshotKey });
  };
  const ports: CustomerBuckets = {
    open: ({ bucket }) => ({
      put({ key, bytes }) {
        puts.push({ bucket, key, begunAt: tasks.now(), task: tasks.current() });
        const effect = async (): Promise<BucketOutcome> =>
          made(bucket, () => keep(bucket, key, bytes));
        return tasks.call({ label: `puts ${bucket}/${key}`, effect });
      },
      find: (key) =>
        tasks.call({
          label: `finds ${bucket}/${key}`,
          async effect() {
            const reason = trouble(bucket);
            if (reason !== undefined) return { outcome: "failed", reason };
            return { outcome: objectsOf(bucket).has(key) ? "found" : "absent" };
          },
        }),
      delete: (key) =>
        tasks.call({
          label: `deletes ${bucket}/${key}`,
          effect: async () => made(bucket, () => void objectsOf(bucket).delete(key)),
        }),
      close: () => {},
    }),
  };
  return {
    buckets,
    manifests,
    puts,
    ports,
    /**
     * Makes the calls to all buckets fail from now on if `fails` is true; otherwise repairs them.
     */
    setDead(fails: boolean): void {
      isDead = fails;
    },
  };
}
