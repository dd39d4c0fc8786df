import { type DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import type { Row } from "../../shared/aws/table/dynamo.ts";
import { failureMessage } from "../command-line/failure.ts";
import type { Tables } from "../reconcile/reconcile.ts";
import type { Migration } from "./migration.ts";

/** How a migration runs, and where it reports its progress. */
export interface MigrationRun {
  /** A client that does not convert rows. */
  readonly client: DynamoDBDocumentClient;
  readonly tables: Tables;
  /** True to count the pending rows and write nothing. */
  readonly isDryRun: boolean;
  /**
   * The number of rows in a page.
   * @default the rows in 1 MB
   */
  readonly pageRows?: number;
  /** Called after each page. */
  readonly report: (tally: MigrationTally) => void;
  /** Called for each row that could not be migrated. */
  readonly warn: (line: string) => void;
}

/** The counts of a migration so far. */
export interface MigrationTally {
  /** Number of rows that were read. */
  readonly read: number;
  /** Number of rows that were pending when they were read. */
  readonly pending: number;
  /** Number of pending rows that were migrated. */
  readonly migrated: number;
  /** Number of pending rows that could not be migrated. */
  readonly failed: number;
}

/**
 * Runs a migration over all rows of its table, and returns the final counts. A row that fails does
 * not stop the migration. Another process may convert a row back after the scan has passed it. Only
 * a run that finds no pending row therefore proves that no pending row is left.
 */
export async function runMigration(
  migration: Migration,
  run: MigrationRun,
): Promise<MigrationTally> {
  const { client, tables, pageRows, report } = run;
  let tally: MigrationTally = { read: 0, pending: 0, migrated: 0, failed: 0 };
  let cursor: Row | undefined;
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
