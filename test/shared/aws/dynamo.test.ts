import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import { expect, it } from "vitest";
import { cancellationReasons } from "../../../shared/aws/dynamo.ts";

const cancelled = (...codes: readonly string[]) =>
  new TransactionCanceledException({
    message: "",
    $metadata: {},
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
const codes = (error: unknown) => cancellationReasons(error)?.map((reason) => reason?.code ?? null);

it.each([
  ["ConditionalCheckFailed"],
  ["TransactionConflict"],
  ["ThrottlingError"],
  ["ProvisionedThroughputExceeded"],
])("a transaction that %s stood in the way of is told write by write", (code) => {
  expect(codes(cancelled("None", code))).toEqual([null, code]);
  expect(codes(cancelled(code, "ValidationError"))).toEqual([code, "ValidationError"]);
});

it("one that is wrong itself says nothing about the data", () => {
  expect(codes(cancelled("ValidationError", "None"))).toBeUndefined();
  expect(codes(cancelled("None", "ItemCollectionSizeLimitExceeded"))).toBeUndefined();
  expect(codes(cancelled("None"))).toBeUndefined();
});

it("another failure has no reasons", () => {
  expect(codes(new Error("lost"))).toBeUndefined();
  expect(
    codes(new ConditionalCheckFailedException({ message: "", $metadata: {} })),
  ).toBeUndefined();
});
