import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Run, RunPhase, RunRef } from "../../runs/run.ts";
import { conditionalWrite, ifConditionHolds, type Row } from "../table/dynamo.ts";
import { runOf } from "./run-row.ts";
import { watchlistKeys } from "../table/table.ts";

/** A conditional change of a run. */
export interface PhaseChange {
  /** Phases in which the run may be changed. */
  readonly from: readonly RunPhase[];
  /** Attributes to set. */
  readonly set: Row;
  /** True to refuse the change if the run was abandoned, which sets its `error`. */
  readonly unlessAbandoned?: boolean;
  /** True to remove the run from the due index, so that the sweeper no longer lists the run. */
  readonly settle?: boolean;
}

/**
 * Changes the phase of a run if its current phase is one of `change.from`. Returns false, without a
 * change, if the run is in another phase, or if it was abandoned and `change.unlessAbandoned` is
 * true.
 */
export function movePhase(
  client: DynamoDBDocumentClient,
  table: string,
  { run, change }: { readonly run: RunRef; readonly change: PhaseChange },
): Promise<boolean> {
  const names = Object.keys(change.set);
  const phases = change.from.map((phase) => [`:from_${phase}`, phase] as const);
  const conditions = [
    `phase IN (${phases.map(([name]) => name).join(", ")})`,
    ...(change.unlessAbandoned === true ? ["attribute_type(#given_up, :null)"] : []),
  ];
  return conditionalWrite(() =>
    client.send(
      new UpdateCommand({
        TableName: table,
        Key: watchlistKeys.run(run.watchlistId, run.runNumber),
        UpdateExpression:
          `SET ${names.map((name) => `#${name} = :${name}`).join(", ")}` +
          (change.settle === true ? " REMOVE due_kind, due_at" : ""),
        ConditionExpression: conditions.join(" AND "),
        ExpressionAttributeNames: {
          ...Object.fromEntries(names.map((name) => [`#${name}`, name])),
          ...(change.unlessAbandoned === true && { "#given_up": "error" }),
        },
        ExpressionAttributeValues: {
          ...Object.fromEntries(names.map((name) => [`:${name}`, change.set[name]])),
          ...Object.fromEntries(phases),
          ...(change.unlessAbandoned === true && { ":null": "NULL" }),
        },
      }),
    ),
  );
}

/**
 * Marks a run as abandoned if the run has made no progress since the caller read it: stores the
 * run's error, and sets the time of the run's next check to `dueAt`. Returns the changed run.
 * Returns undefined, without a change, if the run has made progress or is not in phase `claimed` or
 * `reading`. A repeated call with the same error returns the run again.
 */
export async function abandon(
  client: DynamoDBDocumentClient,
  table: string,
  { run, error, dueAt: due }: { readonly run: Run; readonly error: string; readonly dueAt: string },
): Promise<Run | undefined> {
  const written = await ifConditionHolds(() =>
    client.send(
      new UpdateCommand({
        TableName: table,
        Key: watchlistKeys.run(run.watchlistId, run.runNumber),
        UpdateExpression: "SET #error = :error, due_at = :due",
        ConditionExpression:
          "phase IN (:claimed, :reading) AND (progress_at = :seen OR #error = :error)",
        ExpressionAttributeNames: { "#error": "error" },
        ExpressionAttributeValues: {
          ":error": error,
          ":due": due,
          ":claimed": "claimed",
          ":reading": "reading",
          ":seen": run.progressAt,
        },
        ReturnValues: "ALL_NEW",
      }),
    ),
  );
  return written.outcome === "done" ? runOf(written.value.Attributes ?? {}) : undefined;
}
