/** The AWS clients of a process. A client in the overrides replaces the process's client. */
import { KMSClient } from "@aws-sdk/client-kms";
import { S3Client } from "@aws-sdk/client-s3";
import { SchedulerClient } from "@aws-sdk/client-scheduler";
import { SQSClient } from "@aws-sdk/client-sqs";
import { clientSettings } from "../../shared/aws/sdk/client-settings.ts";
import { limits } from "../../shared/base/limits.ts";
import type { Clients, Overrides } from "./overrides.ts";

/**
 * Returns a function that creates a value at its first call and then returns the same value. Mark
 * each call of `once` with `@__PURE__`, so that a bundle omits the clients that its function does
 * not use.
 */
export function once<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

/**
 * Returns a function that selects an AWS client: the client `name` in the overrides, if there is
 * one. Otherwise the process has one client, which `make` creates at the first use. Mark each call
 * of `client` with `@__PURE__`, as for `once`.
 */
export function client<Name extends keyof Clients>(
  name: Name,
  make: () => Clients[Name],
): (overrides: Overrides) => Clients[Name] {
  const own = once(make);
  return ({ clients = {} }) => clients[name] ?? own();
}

export const sqs = /* @__PURE__ */ client("sqs", () => new SQSClient(clientSettings()));
export const scheduler = /* @__PURE__ */ client(
  "scheduler",
  () => new SchedulerClient(clientSettings()),
);
export const kms = /* @__PURE__ */ client("kms", () => new KMSClient(clientSettings()));

const bodySettings = () => clientSettings({ attemptMs: limits.dependencies.bodyAttemptMs });
const s3ByHost = /* @__PURE__ */ client("s3", () => new S3Client(bodySettings()));
const s3ByPath = /* @__PURE__ */ client(
  "s3",
  () => new S3Client({ ...bodySettings(), forcePathStyle: true }),
);
/** Returns the S3 client. It addresses buckets by path if the overrides request it. */
export const s3 = (overrides: Overrides): S3Client =>
  (overrides.forcePathStyle === true ? s3ByPath : s3ByHost)(overrides);
