import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Run } from "../../runs/run.ts";
import type { Shortfall, StepDecision, StepRecord } from "../../runs/step.ts";
import {
  type Row,
  retryWhileContended,
  type TableOptions,
  transact,
  type TransactItem,
} from "../table/dynamo.ts";
import { stepRecordOf } from "./run-row.ts";
import { type RowKey, watchlistKeys } from "../table/table.ts";

interface Decision {
  readonly run: Run;
  readonly step: StepRecord;
  readonly shortfall: Shortfall | null;
}

/**
 * Records a decision about a step, in a transaction that checks the run's phase: `defer` if there
 * is a `shortfall`, `read` if `shortfall` is null. Returns the decision that was recorded first. If
 * no decision is recorded yet, and the run was abandoned or is no longer in phase `reading`,
 * records nothing and returns `over`.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export async function decideStep(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  { run, step, shortfall }: Decision,
): Promise<StepDecision | "over"> {
  const decision = shortfall === null ? "read" : "defer";
  const Key = watchlistKeys.step(step.runId, step.step);
  const update = {
    TableName: options.table,
    Key,
    UpdateExpression: "SET decision = :decision, shortfall = :shortfall",
    ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(decision)",
    ExpressionAttributeValues: { ":decision": decision, ":shortfall": shortfall },
  };
  const found = await whileReading(client, options, { run, Key, change: { Update: update } });
  if (found === "changed") return decision;
  return (found === undefined ? null : stepRecordOf(found).decision) ?? "over";
}

/**
 * Executes `change`, a write of the step's row with the key `Key`, in a transaction that checks
 * that the run is in phase `reading` and was not abandoned. Returns `changed` on success. If a
 * condition failed, returns the current row of the step, or undefined if this row does not exist.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export function whileReading(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  { run, Key, change }: { readonly run: Run; readonly Key: RowKey; readonly change: TransactItem },
): Promise<Row | "changed" | undefined> {
  const { table } = options;
  const check: TransactItem = {
    ConditionCheck: {
      TableName: table,
      Key: watchlistKeys.run(run.watchlistId, run.runNumber),
      ConditionExpression: "phase = :reading AND #error = :none",
      ExpressionAttributeNames: { "#error": "error" },
      ExpressionAttributeValues: { ":reading": "reading", ":none": null },
    },
  };
  return retryWhileContended(options, async () => {
    const { outcome } = await transact(client, [change, check]);
    if (outcome === "done") return "changed";
    if (outcome === "contended") return "again";
    const { Item } = await client.send(
      new GetCommand({ TableName: table, Key, ConsistentRead: true }),
    );
    return Item;
  });
}
