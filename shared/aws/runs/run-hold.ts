import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Hold, Run } from "../../runs/run.ts";
import { missingFieldsToStore } from "../../runs/source-shape.ts";
import {
  isRefused,
  retryWhileContended,
  type TableOptions,
  transact,
  type TransactItem,
  transactWrites,
} from "../table/dynamo.ts";
import { watchlistKeys } from "../table/table.ts";

interface Decision {
  readonly run: Run;
  /** The hold of the run, with the decision to release or to discard it. */
  readonly hold: Hold;
  /** Time of the sweeper's next check of the run, ISO 8601. */
  readonly dueAt: string;
}

/**
 * Stores the decision to release or to discard a held run. Returns false, without a change, if the
 * run is not held or its watchlist was deleted. The purge of a deleted watchlist deletes the rows
 * of a held run, so a decision must not be executed during the purge.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export const decideHold = (
  client: DynamoDBDocumentClient,
  options: TableOptions,
  { run, hold, dueAt }: Decision,
): Promise<boolean> =>
  transactWrites(
    client,
    [
      {
        ConditionCheck: {
          TableName: options.table,
          Key: watchlistKeys.watchlist(run.accountId, run.watchlistId),
          ConditionExpression: "attribute_exists(pk)",
        },
      },
      {
        Update: {
          TableName: options.table,
          Key: watchlistKeys.run(run.watchlistId, run.runNumber),
          UpdateExpression: "SET phase = :phase, #hold = :hold, due_at = :due",
          ConditionExpression: "phase = :held",
          ExpressionAttributeNames: { "#hold": "hold" },
          ExpressionAttributeValues: {
            ":phase": hold.status === "released" ? "releasing" : "discarding",
            ":hold": hold,
            ":due": dueAt,
            ":held": "held",
          },
        },
      },
    ],
    options,
  );

/** Position of the run's write in the transaction of `endHold`. */
const runPosition = 0;

/**
 * Ends a held run after its release or discard, and lets its watchlist start the next run, in one
 * transaction. If the watchlist was deleted, changes only the run. Does nothing if the held run has
 * already ended.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export async function endHold(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  run: Run,
): Promise<void> {
  const [runWrite, watchlistWrite] = [runEnd(options.table, run), watchlistEnd(options.table, run)];
  await retryWhileContended(options, async () => {
    const result = await transact(client, [runWrite, watchlistWrite]);
    if (result.outcome === "done") return "ended";
    if (result.outcome === "contended") return "again";
    const hasEndedBefore = isRefused(result.reasons[runPosition]);
    if (!hasEndedBefore) await transactWrites(client, [runWrite], options);
    return "ended";
  });
}

/** Builds the write that moves a released or discarded run to phase `done`. */
const runEnd = (table: string, run: Run): TransactItem => ({
  Update: {
    TableName: table,
    Key: watchlistKeys.run(run.watchlistId, run.runNumber),
    UpdateExpression: "SET phase = :done REMOVE due_kind, due_at",
    ConditionExpression: "phase IN (:releasing, :discarding)",
    ExpressionAttributeValues: {
      ":done": "done",
      ":releasing": "releasing",
      ":discarding": "discarding",
    },
  },
});

/** Builds the write that ends the held run in its watchlist, so that the next run can start. */
function watchlistEnd(table: string, run: Run): TransactItem {
  const missing = missingFieldsToStore(run);
  return {
    Update: {
      TableName: table,
      Key: watchlistKeys.watchlist(run.accountId, run.watchlistId),
      UpdateExpression:
        "SET running_run = :none, last_run_status = :status" +
        (missing === undefined ? "" : ", missing_fields = :missing"),
      ConditionExpression: "running_run = :number",
      ExpressionAttributeValues: {
        ":none": null,
        ":number": run.runNumber,
        ":status": run.status,
        ...(missing !== undefined && { ":missing": missing }),
      },
    },
  };
}
