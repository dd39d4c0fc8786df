import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import {
  cancellationReasons,
  conditionalWrite,
  ifConditionHolds,
  isRefused,
  retryWhileContended,
  transact,
} from "../../../../shared/aws/table/dynamo.ts";
import { retryBudget, withRetryBudget } from "../../../../shared/base/retry-budget.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";
import { watchedClient } from "../../../support/watched-client.ts";

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
])(
  "the error of a transaction that DynamoDB canceled with the reason %s has a cancellation reason for each write",
  (code) => {
    expect(codes(cancelled("None", code))).toEqual([null, code]);
    expect(codes(cancelled(code, "ValidationError"))).toEqual([code, "ValidationError"]);
  },
);

it("the error of an invalid transaction has no cancellation reasons", () => {
  expect(codes(cancelled("ValidationError", "None"))).toBeUndefined();
  expect(codes(cancelled("None", "ItemCollectionSizeLimitExceeded"))).toBeUndefined();
  expect(codes(cancelled("None"))).toBeUndefined();
});

it("the error of a request without a transaction has no cancellation reasons", () => {
  expect(codes(new Error("lost"))).toBeUndefined();
  expect(
    codes(new ConditionalCheckFailedException({ message: "", $metadata: {} })),
  ).toBeUndefined();
});

it("a conditional write returns its response, or is refused if its condition failed", async () => {
  const failed = new ConditionalCheckFailedException({ message: "", $metadata: {} });

  expect(await ifConditionHolds(async () => "row")).toEqual({ outcome: "done", value: "row" });
  expect(await conditionalWrite(async () => undefined)).toBe(true);
  expect(await ifConditionHolds(() => Promise.reject(failed))).toEqual({ outcome: "refused" });
  expect(await conditionalWrite(() => Promise.reject(failed))).toBe(false);
});

it("a conditional write throws every other error", async () => {
  await expect(ifConditionHolds(() => Promise.reject(cancelled("None")))).rejects.toThrow(
    TransactionCanceledException,
  );
});

/** Executes a transaction to which DynamoDB returns `answer`. */
const transactWith = (answer: () => Promise<unknown>) => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  return transact(watchedClient(client, answer), []);
};

it.each([
  ["refused", ["None", "ConditionalCheckFailed"], [false, true]],
  ["contended", ["None", "TransactionConflict"], [false, false]],
  ["contended", ["ConditionalCheckFailed", "ThrottlingError"], [true, false]],
])(
  "the result of a transaction is '%s' if DynamoDB canceled it with the reasons %j",
  async (outcome, reasons, refused) => {
    const result = await transactWith(() => Promise.reject(cancelled(...reasons)));

    expect(result).toMatchObject({ outcome });
    expect(result.outcome === "done" ? [] : result.reasons.map(isRefused)).toEqual(refused);
  },
);

it("the result of a transaction is 'done' if it took effect", async () => {
  expect(await transactWith(async () => ({}))).toEqual({ outcome: "done" });
});

it("a transaction throws an error without cancellation reasons", async () => {
  await expect(transactWith(() => Promise.reject(new Error("lost")))).rejects.toThrow("lost");
});

it("a transaction with lasting conflicts is repeated until its retry budget is used up, and at most 24 times", async () => {
  const clock = fixedClock("2026-03-01T00:00:00Z");
  let attempts = 0;
  const contended = retryWhileContended.bind(
    undefined,
    { clock, random: countingRandom() },
    async () => {
      attempts += 1;
      clock.advance(1_000);
      return "again" as const;
    },
  );
  const refused = { status: 503, code: "UNAVAILABLE" };

  await expect(
    withRetryBudget(retryBudget({ clock, lossMs: 3_000 }), contended),
  ).rejects.toMatchObject(refused);
  expect(attempts).toBe(3);
  await expect(contended()).rejects.toMatchObject(refused);
  expect(attempts).toBe(3 + 24);
});
