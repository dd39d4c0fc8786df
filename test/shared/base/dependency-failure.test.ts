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
  ["an address that cannot be looked up", coded("EAI_AGAIN")],
  ["a throttled table", new ProvisionedThroughputExceededException(failure(400))],
  ["a throttled queue", named("RequestThrottled")],
  ["a throttled scheduler", Object.assign(named("Whatever"), failure(429))],
  ["an overloaded bucket", s3Error("SlowDown", 503)],
  ["a fault of DynamoDB's own", new InternalServerError(failure(500))],
  ["a fault of the key service", new KMSInternalException(failure(500))],
  ["a fault of the bucket's own", s3Error("InternalError", 500)],
  ["a row that stays busy", new TransactionConflictException(failure(400))],
  [
    "a transaction that is still in progress",
    new TransactionInProgressException({ ...failure(400), Message: "failed" }),
  ],
])("%s is the failure of a dependency", (_, error) => {
  expect(isDependencyFailure(error)).toBe(true);
});

it.each<[string, unknown]>([
  ["a mistake in the code", new TypeError("undefined is not a function")],
  ["a request that is wrong itself", Object.assign(named("ValidationException"), failure(400))],
  ["a permission that is missing", Object.assign(named("AccessDeniedException"), failure(400))],
  ["a table that does not exist", Object.assign(named("ResourceNotFoundException"), failure(400))],
  ["a condition that does not hold", new ConditionalCheckFailedException(failure(400))],
  ["something thrown that is no error", { name: "TimeoutError" }],
  ["nothing", undefined],
])("%s is not the failure of a dependency", (_, error) => {
  expect(isDependencyFailure(error)).toBe(false);
});
