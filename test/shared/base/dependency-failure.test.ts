import {
  ConditionalCheckFailedException,
  InternalServerError,
  ProvisionedThroughputExceededException,
  TransactionConflictException,
  TransactionInProgressException,
} from "@aws-sdk/client-dynamodb";
import { KMSInternalException } from "@aws-sdk/client-kms";
import { S3ServiceException } from "@aws-sdk/client-s3";
import { expect, it } from "vitest";
import { isDependencyFailure } from "../../../shared/base/dependency-failure.ts";
import { OutOfTimeError } from "../../../shared/base/retry-budget.ts";

const failure = (status?: number) => ({
  message: "failed",
  $metadata: status === undefined ? {} : { httpStatusCode: status },
});
const named = (name: string): Error => Object.assign(new Error("failed"), { name });
const coded = (code: string): Error => Object.assign(new Error("failed"), { code });
const s3Error = (name: string, status: number): Error =>
  new S3ServiceException({ name, $fault: status < 500 ? "client" : "server", ...failure(status) });

it.each<[string, Error]>([
  ["a request without a response", named("TimeoutError")],
  ["a request that was not sent for lack of time", new OutOfTimeError()],
  ["a connection that is refused", coded("ECONNREFUSED")],
  ["a connection that breaks", coded("ECONNRESET")],
  ["a host name that cannot be resolved", coded("EAI_AGAIN")],
  ["a throttled table", new ProvisionedThroughputExceededException(said(400))],
  ["a throttled queue", named("RequestThrottled")],
  ["a throttled scheduler", Object.assign(named("Whatever"), failure(429))],
  ["an overloaded bucket", s3Error("SlowDown", 503)],
  ["an internal error of DynamoDB", new InternalServerError(said(500))],
  ["an internal error of KMS", new KMSInternalException(said(500))],
  ["an internal error of S3", s3Error("InternalError", 500)],
  ["a row that stays busy", new TransactionConflictException(said(400))],
  [
    "a transaction that is still in progress",
    new TransactionInProgressException({ ...failure(400), Message: "failed" }),
  ],
])("%s is the failure of a dependency", (_, error) => {
  expect(isDependencyFailure(error)).toBe(true);
});

it.each<[string, unknown]>([
  ["a programming error", new TypeError("undefined is not a function")],
  ["an invalid request", Object.assign(named("ValidationException"), said(400))],
  ["a permission that is missing", Object.assign(named("AccessDeniedException"), said(400))],
  ["a table that does not exist", Object.assign(named("ResourceNotFoundException"), said(400))],
  ["a failed condition", new ConditionalCheckFailedException(said(400))],
  ["a thrown value that is not an Error", { name: "TimeoutError" }],
  ["nothing", undefined],
])("%s is not the failure of a dependency", (_, error) => {
  expect(isDependencyFailure(error)).toBe(false);
});
