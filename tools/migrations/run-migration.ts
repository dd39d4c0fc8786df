import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  ScanCommand,
} from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Row } from "../../shared/aws/table/dynamo.ts";
import { accountKeys } from "../../shared/aws/table/table.ts";
import type { Clock } from "../../shared/base/clock.ts";
import { failureMessage } from "../command-line/failure.ts";
import type { Tables } from "../reconcile/reconcile.ts";
import type { Migration } from "./migration.ts";

export interface MigrationRun {
  /** A client that does not convert rows. */
  readonly client: DynamoDBDocumentClient;
  readonly tables: Tables;
  readonly clock: Clock;
  /** True counts the pending rows and writes nothing. */
  readonly isDryRun: boolean;
  /** True ignores the progress of an interrupted run. */
  readonly restarts: boolean;
  /**
   * The number of rows after which progress is stored.
   * @default the rows of a page of 1 MB
   */
  readonly pageRows?: number;
  /** Called after each page. */
  readonly report: (tally: MigrationTally) => void;
  /** Called for each row that could not be migrated. */
  readonly warn: (line: string) => void;
}

/** The numbers of rows of a migration so far, including those of interrupted runs. */
export interface MigrationTally {
  /** Rows that were read. */
  readonly read: number;
  /** Rows that were pending when they were read. */
  readonly pending: number;
  /** Pending rows that were migrated. */
  readonly migrated: number;
  /** Pending rows that could not be migrated. */
  readonly failed: number;
}

interface Position {
  readonly tally: MigrationTally;
  /** Where the scan continues; undefined at the start. */
  readonly cursor: Row | undefined;
}

const start: Position = {
  tally: { read: 0, pending: 0, migrated: 0, failed: 0 },
  cursor: undefined,
};

/**
 * Runs a migration over all rows of its table. Stores its progress after each page, so that a later
 * run continues after the last complete page. A row that fails does not stop the others.
 */
export async function runMigration(
  migration: Migration,
  run: MigrationRun,
): Promise<MigrationTally> {
  const { client, tables, isDryRun, restarts, pageRows, report } = run;
  let { tally, cursor } = isDryRun || restarts ? start : await storedPosition(migration, run);
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: tables[migration.table],
        ConsistentRead: true,
        ExclusiveStartKey: cursor,
        ...(pageRows !== undefined && { Limit: pageRows }),
      }),
    );
    tally = await migratePage(migration, run, { rows: page.Items ?? [], tally });
    cursor = page.LastEvaluatedKey;
    if (!isDryRun) await storePosition(migration, run, { tally, cursor });
    report(tally);
  } while (cursor !== undefined);
  return tally;
}

async function migratePage(
  migration: Migration,
  { isDryRun, warn }: MigrationRun,
  { rows, tally }: { readonly rows: readonly Row[]; readonly tally: MigrationTally },
): Promise<MigrationTally> {
  let { migrated, failed } = tally;
  const pending = rows.filter((row) => migration.isPending(row));
  for (const row of isDryRun ? [] : pending) {
    try {
      await migration.migrate(row);
      migrated += 1;
    } catch (error) {
      failed += 1;
      warn(`${String(row["pk"])} / ${String(row["sk"])}: ${failureMessage(error)}`);
    }
  }
  return {
    read: tally.read + rows.length,
    pending: tally.pending + pending.length,
    migrated,
    failed,
  };
}

const progress = v.object({
  tally: v.object({
    read: v.number(),
    pending: v.number(),
    migrated: v.number(),
    failed: v.number(),
  }),
  cursor: v.record(v.string(), v.unknown()),
});

/** Returns where an interrupted run stopped; the start if there is none. */
async function storedPosition(
  { name }: Migration,
  { client, tables }: MigrationRun,
): Promise<Position> {
  const { Item: row } = await client.send(
    new GetCommand({
      TableName: tables.accounts,
      Key: accountKeys.migration(name),
      ConsistentRead: true,
    }),
  );
  if (row === undefined || row["finished_at"] !== undefined) return start;
  return v.parse(progress, row);
}

async function storePosition(
  { name }: Migration,
  { client, tables, clock }: MigrationRun,
  { tally, cursor }: Position,
): Promise<void> {
  const now = clock.now().toISOString();
  await client.send(
    new PutCommand({
      TableName: tables.accounts,
      Item: {
        ...accountKeys.migration(name),
        tally,
        updated_at: now,
        ...(cursor === undefined ? { finished_at: now } : { cursor }),
      },
    }),
  );
}
