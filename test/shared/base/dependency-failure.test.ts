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
  ["a refused connection", coded("ECONNREFUSED")],
  ["a connection that was reset", coded("ECONNRESET")],
  ["a failed DNS lookup", coded("EAI_AGAIN")],
  ["a throttled table", new ProvisionedThroughputExceededException(failure(400))],
  ["a throttled queue", named("RequestThrottled")],
  ["a throttled scheduler", Object.assign(named("Whatever"), failure(429))],
  ["an overloaded bucket", s3Error("SlowDown", 503)],
  ["an internal error of DynamoDB", new InternalServerError(failure(500))],
  ["an internal error of KMS", new KMSInternalException(failure(500))],
  ["an internal error of S3", s3Error("InternalError", 500)],
  ["a conflict of transactions on a row", new TransactionConflictException(failure(400))],
  [
    "a transaction that is still in progress",
    new TransactionInProgressException({ ...failure(400), Message: "failed" }),
  ],
])("the failure '%s' counts as a dependency failure", (_, error) => {
  expect(isDependencyFailure(error)).toBe(true);
});

it.each<[string, unknown]>([
  ["a TypeError in the code", new TypeError("undefined is not a function")],
  ["an invalid request", Object.assign(named("ValidationException"), failure(400))],
  ["a missing permission", Object.assign(named("AccessDeniedException"), failure(400))],
  ["a table that does not exist", Object.assign(named("ResourceNotFoundException"), failure(400))],
  ["a failed condition of a write", new ConditionalCheckFailedException(failure(400))],
  ["a thrown object that is not an Error", { name: "TimeoutError" }],
  ["undefined", undefined],
])("the failure '%s' does not count as a dependency failure", (_, error) => {
  expect(isDependencyFailure(error)).toBe(false);
});
