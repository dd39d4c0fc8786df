import type { Context, SQSEvent } from "aws-lambda";
import type { SendMessageCommandInput, SQSClient } from "@aws-sdk/client-sqs";
import { expect, it } from "vitest";
import { createHandler } from "../../../functions/backtest-runner/handler.ts";
import { sqsBacktestQueue } from "../../../shared/aws/queues/backtest-queue.ts";
import { dynamoBacktestStore } from "../../../shared/aws/backtest/backtest-store.ts";
import { newBacktestJob } from "../../../shared/backtest/backtest-job.ts";
import { pipelineOf } from "../../../shared/watchlists/watchlist.ts";
import { startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();

it("the back-test worker stores the result of a back-test after it receives the back-test's message", async () => {
  const bench = await startRunBench({ tables });
  bench.answers.product = () => ({
    status: "ok",
    fields: { price: { amount: 5, currency: "USD" }, availability: { inStock: true } },
  });
  const list = await bench.createList(["10001", "10002"]);
  await bench.run(list);
  const { client, name: table } = bench.table;
  const backtests = dynamoBacktestStore(client, { ...bench, table });
  const span = { since: "2026-01-01T00:00:00.000Z", until: "2027-01-01T00:00:00.000Z" };
  const ref = { accountId: list.accountId, watchlistId: list.id, id: "bt_1" };
  await backtests.create(
    newBacktestJob({ ...ref, pipeline: pipelineOf(list), span }, bench.clock.now()),
  );
  const sent: SendMessageCommandInput[] = [];
  const sqs = {
    send: async ({ input }: { readonly input: SendMessageCommandInput }) => void sent.push(input),
  } as unknown as SQSClient;
  await sqsBacktestQueue(sqs, "https://sqs/backtests").send(ref);
  expect(sent).toMatchObject([
    { QueueUrl: "https://sqs/backtests", MessageGroupId: list.accountId },
  ]);

  const handler = createHandler(
    { STAGE: "dev", WATCHLISTS_TABLE: table },
    { clock: bench.clock, random: bench.random, clients: { dynamo: client } },
  );
  const attributes = { ApproximateReceiveCount: "1", SentTimestamp: "1772000000000" };
  const records = sent.map(({ MessageBody: body }) => ({ messageId: "m1", body, attributes }));
  const context = { awsRequestId: "invocation-1", getRemainingTimeInMillis: () => 60_000 };
  expect(
    await handler({ Records: records } as unknown as SQSEvent, context as unknown as Context),
  ).toEqual({ batchItemFailures: [] });
  expect(await backtests.get(ref)).toMatchObject({
    status: "done",
    result: { total: { runs: 1, items: 2 } },
  });
});
