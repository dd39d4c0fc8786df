import { createHash } from "node:crypto";
import type { LookupFunction } from "node:net";
import {
  DeleteObjectCommand,
  HeadObjectCommand,
  NotFound,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import type {
  BucketAccess,
  BucketFailure,
  CustomerBucket,
  CustomerBuckets,
} from "../../exports/customer-bucket.ts";
import type { AddressPolicy } from "../../outgoing/address-policy.ts";
import { bucketFailure } from "./bucket-failure.ts";
import { type ExchangeTimes, guardedConnection } from "../../outgoing/guarded-connection.ts";

/** How connections to customers' buckets are made. */
export interface CustomerBucketOptions {
  readonly policy: AddressPolicy;
  /** DNS lookup. @default the system's lookup */
  readonly lookup?: LookupFunction;
  /** Timeouts. @default 5 s to connect, 15 s in total */
  readonly times?: ExchangeTimes;
}

/**
 * Time limits for one request of a check. They are shorter than those of exports, because an API
 * call waits for three requests one after the other: the check assumes the role, writes an object,
 * and then deletes the object while it looks up one that does not exist.
 */
export const checkTimes: ExchangeTimes = { connectMs: 4_000, totalMs: 7_000 };

/** Maximum size of a response of the store, in bytes. */
const answerBytesMax = 64 * 1_024;

/**
 * Creates the port that opens customers' buckets with the S3 client. Each open bucket has a
 * separate client, whose connections refuse the addresses that the policy forbids. A failure of the
 * store is a result, not an exception.
 */
export function s3CustomerBuckets(options: CustomerBucketOptions): CustomerBuckets {
  return { open: (access) => customerBucket(access, options) };
}

/** Opens one bucket. The caller must close it. */
function customerBucket(access: BucketAccess, options: CustomerBucketOptions): CustomerBucket {
  const { bucket: Bucket, accessKeyId, secretAccessKey, sessionToken } = access;
  const connection = guardedConnection({ ...options, answerBytesMax });
  const client = new S3Client({
    region: access.region,
    ...(access.endpoint === null ? {} : { endpoint: access.endpoint }),
    forcePathStyle: access.forcePathStyle,
    credentials: {
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
    },
    // Object stores other than AWS reject optional checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    expectContinueHeader: false,
    followRegionRedirects: false,
    // A failed attempt is repeated by the retry schedule of exports.
    maxAttempts: 1,
    requestHandler: guardedHandler(connection),
  });
  return {
    put: ({ key: Key, bytes: Body, contentType: ContentType }) => {
      // Every object store supports this header, and a bucket with Object Lock requires it.
      const ContentMD5 = createHash("md5").update(Body).digest("base64");
      const command = new PutObjectCommand({ Bucket, Key, Body, ContentType, ContentMD5 });
      return orFailure(async () => {
        const { ETag } = await client.send(command);
        // An object store returns an ETag. A server without one probably accepts every request and
        // stores nothing.
        return ETag === undefined
          ? { outcome: "failed", reason: "no_object_store" }
          : { outcome: "done" };
      });
    },
    find: (Key) =>
      orFailure(async () => {
        try {
          await client.send(new HeadObjectCommand({ Bucket, Key }));
          return { outcome: "found" };
        } catch (error) {
          if (error instanceof NotFound) return { outcome: "absent" };
          throw error;
        }
      }),
    delete: (Key) =>
      orFailure(async () => {
        await client.send(new DeleteObjectCommand({ Bucket, Key }));
        return { outcome: "done" };
      }),
    close: () => {
      client.destroy();
      connection.close();
    },
  };
}

/** The fields of a request that the S3 client has signed and that the handler sends. */
interface SignedRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly method: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Creates a request handler for the S3 client. The handler sends each request through `connection`,
 * as webhook deliveries do.
 */
function guardedHandler(connection: ReturnType<typeof guardedConnection>) {
  return {
    async handle(request: SignedRequest) {
      const port = request.port === undefined ? "" : `:${request.port}`;
      const exchange = await connection.exchange({
        url: new URL(`${request.protocol}//${request.hostname}${port}`),
        path: request.path + queryOf(request.query ?? {}),
        method: request.method,
        headers: request.headers,
        body: request.body instanceof Uint8Array ? request.body : new Uint8Array(),
      });
      if (exchange.outcome === "failed") {
        throw Object.assign(
          new Error(`The bucket did not respond (${exchange.error}). Check its endpoint.`),
          { name: exchange.error },
        );
      }
      const { status: statusCode, headers, body } = exchange;
      return { response: { statusCode, headers, body } };
    },
  };
}

/** Returns the query string in the exact form that the client signed. */
function queryOf(query: NonNullable<SignedRequest["query"]>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? ""].flat().map((one) => `${escapeText(name)}=${escapeText(one)}`),
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

const escapeText = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Returns the result of `send`. If it fails, returns its error as a failure of the bucket. */
async function orFailure<Outcome>(
  send: () => Promise<Outcome | BucketFailure>,
): Promise<Outcome | BucketFailure> {
  try {
    return await send();
  } catch (error) {
    return bucketFailure(error);
  }
}
