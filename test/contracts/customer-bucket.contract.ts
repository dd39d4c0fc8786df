import { gzipSync } from "node:zlib";
import { afterEach, expect, it } from "vitest";
import type { BucketAccess, CustomerBucket } from "../../shared/exports/customer-bucket.ts";

export interface BucketSubject {
  /** Opens a bucket of the store. */
  open(wanted?: Partial<BucketAccess>): CustomerBucket;
  /** Returns the keys in the bucket, sorted. */
  keys(): Promise<readonly string[]>;
  /** Returns an object as the store sends it to a reader, with its headers. */
  read(key: string): Promise<{
    readonly bytes: Buffer;
    readonly contentType: string | undefined;
    readonly contentEncoding: string | undefined;
  }>;
}

/**
 * Registers the tests that every S3-compatible store must pass for exports. Each test calls
 * `subject`, always for the same store.
 */
export function customerBucketContract(subject: () => BucketSubject): void {
  let opened: CustomerBucket[] = [];
  afterEach(() => {
    for (const bucket of opened) bucket.close();
    opened = [];
  });
  const open = (wanted?: Partial<BucketAccess>): CustomerBucket => {
    const bucket = subject().open(wanted);
    opened.push(bucket);
    return bucket;
  };

  it("stores the exact bytes of an object and its content type, without decompressing the object", async () => {
    const bytes = gzipSync("caf\u00e9 \u2603\n");
    const object = { key: "a/b/line.jsonl.gz", bytes, contentType: "application/gzip" };

    expect(await open().put(object)).toEqual({ outcome: "done" });
    expect(await subject().read(object.key)).toEqual({
      bytes,
      contentType: "application/gzip",
      contentEncoding: undefined,
    });
  });

  it("accepts every character that a prefix or a key may have", async () => {
    const bucket = open();
    const keys = [
      "A-Z_09!.*'()=-/x/dt=2026-11-20/00001-watchlist.run.completed-evt_1.jsonl.gz",
      "_service_check",
      "deep/er/and/deeper/still/=/k",
    ];
    for (const key of keys) {
      const put = await bucket.put({ key, bytes: Buffer.from(key), contentType: "text/plain" });
      expect(put, key).toEqual({ outcome: "done" });
    }

    expect(await subject().keys()).toEqual(expect.arrayContaining(keys));
    expect((await subject().read(keys[0] ?? "")).bytes.toString()).toBe(keys[0]);
  });

  it("replaces the stored object when another object is stored under the same key", async () => {
    const bucket = open();
    const object = { key: "again", bytes: Buffer.from("1"), contentType: "text/plain" };
    await bucket.put(object);
    await bucket.put({ ...object, bytes: Buffer.from("2") });

    expect(await bucket.put({ ...object, bytes: Buffer.from("2") })).toEqual({ outcome: "done" });
    expect((await subject().read("again")).bytes.toString()).toBe("2");
  });

  it("stores many concurrent writes, including empty and large objects", async () => {
    const bucket = open();
    const puts = Array.from({ length: 12 }, (_, n) =>
      bucket.put({
        key: `many/${n}`,
        bytes: Buffer.alloc(n === 11 ? 3 * 1_024 * 1_024 : n, n),
        contentType: "text/plain",
      }),
    );

    expect(new Set((await Promise.all(puts)).map(({ outcome }) => outcome))).toEqual(
      new Set(["done"]),
    );
    expect((await subject().read("many/11")).bytes.length).toBe(3 * 1_024 * 1_024);
    expect((await subject().read("many/0")).bytes.length).toBe(0);
  });

  it("deletes an object, and reports success if the object does not exist", async () => {
    const bucket = open();
    await bucket.put({ key: "gone", bytes: Buffer.from("x"), contentType: "text/plain" });

    expect(await bucket.delete("gone")).toEqual({ outcome: "done" });
    expect(await bucket.delete("gone")).toEqual({ outcome: "done" });
    expect(await subject().keys()).not.toContain("gone");
  });

  it("finds an existing object, and reports a missing object as absent", async () => {
    const bucket = open();
    await bucket.put({ key: "there", bytes: Buffer.from("x"), contentType: "text/plain" });

    expect(await bucket.find("there")).toEqual({ outcome: "found" });
    expect(await bucket.find("not-there")).toEqual({ outcome: "absent" });
  });

  it("reports NoSuchBucket for a bucket that does not exist", async () => {
    const object = { key: "k", bytes: Buffer.from("x"), contentType: "text/plain" };

    expect(await open({ bucket: "no-such-bucket-here" }).put(object)).toEqual({
      outcome: "failed",
      reason: "NoSuchBucket",
    });
  });
}
