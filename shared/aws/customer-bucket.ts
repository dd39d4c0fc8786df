import type { LookupFunction } from "node:net";
import { DeleteObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import type {
  BucketAccess,
  BucketOutcome,
  CustomerBucket,
  CustomerBuckets,
} from "../exports/customer-bucket.ts";
import type { AddressPolicy } from "../outgoing/address-policy.ts";
import { guardedExchange } from "./guarded-exchange.ts";

export interface CustomerBucketOptions {
  readonly policy: AddressPolicy;
  /** Name lookup, the system's unless a test gives another. */
  readonly lookup?: LookupFunction;
}

const answerBytesMax = 64 * 1_024;

/** Customers' buckets over the S3 client, one client a destination, every request guarded. */
export function s3CustomerBuckets(options: CustomerBucketOptions): CustomerBuckets {
  return { open: (access) => customerBucket(access, options) };
}

function customerBucket(access: BucketAccess, options: CustomerBucketOptions): CustomerBucket {
  const client = new S3Client({
    region: access.region,
    ...(access.endpoint === null ? {} : { endpoint: access.endpoint }),
    forcePathStyle: access.forcePathStyle,
    credentials: {
      accessKeyId: access.accessKeyId,
      secretAccessKey: access.secretAccessKey,
    },
    // Stores other than AWS refuse checksums that nobody asked for.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    followRegionRedirects: false,
    // The retry schedule repeats what fails.
    maxAttempts: 1,
    requestHandler: guardedHandler(options),
  });
  const { bucket: Bucket } = access;
  return {
    put: ({ key: Key, bytes: Body, contentType: ContentType }) =>
      outcomeOf(client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType }))),
    delete: (Key) => outcomeOf(client.send(new DeleteObjectCommand({ Bucket, Key }))),
  };
}

/** The parts of the S3 client's request that make the HTTP request. */
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

/** Sends the S3 client's requests as webhooks are sent. */
function guardedHandler(options: CustomerBucketOptions) {
  return {
    async handle(request: SignedRequest) {
      const port = request.port === undefined ? "" : `:${request.port}`;
      const exchange = await guardedExchange(
        {
          url: new URL(`${request.protocol}//${request.hostname}${port}`),
          path: request.path + queryOf(request.query ?? {}),
          method: request.method,
          headers: request.headers,
          body: request.body instanceof Uint8Array ? request.body : new Uint8Array(),
        },
        { ...options, answerBytesMax },
      );
      if (exchange.outcome === "failed") {
        throw Object.assign(new Error("No answer from the bucket."), { name: exchange.error });
      }
      const { status: statusCode, headers, body } = exchange;
      return { response: { statusCode, headers, body } };
    },
  };
}

/** The query exactly as it was signed. */
function queryOf(query: NonNullable<SignedRequest["query"]>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? ""].flat().map((one) => `${escaped(name)}=${escaped(one)}`),
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

async function outcomeOf(sent: Promise<unknown>): Promise<BucketOutcome> {
  try {
    await sent;
    return { outcome: "done" };
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    // The store chose the name: it is shown only when it looks like one.
    return { outcome: "failed", reason: /^\w{1,64}$/.test(name) ? name : "unknown_error" };
  }
}
