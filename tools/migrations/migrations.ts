import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { openShards } from "../../shared/aws/ledger/open-shards.ts";
import { ledgerProcess } from "../../shared/aws/ledger/process.ts";
import { convertRow } from "../../shared/aws/table/convert-row.ts";
import type { Row } from "../../shared/aws/table/dynamo.ts";
import { accountIdOf, type RowKey } from "../../shared/aws/table/table.ts";
import { versionedClient } from "../../shared/aws/table/versioned-client.ts";
import type { PageTable } from "../../shared/aws/watchlists/page-reader.ts";
import type { Clock, RandomSource } from "../../shared/base/clock.ts";
import { isOfKind, type RowKind, type RowKinds, rowKinds } from "../../shared/base/stored-kinds.ts";
import {
  assertAccepted,
  type Conversion,
  versionOf,
  type WrittenVersions,
  writtenVersion,
} from "../../shared/base/stored-versions.ts";
import type { Tables } from "../reconcile/reconcile.ts";
import { mergeSecondRows } from "./merge-second-rows.ts";
import { type Migration, whileRowsChange } from "./migration.ts";

export interface MigrationsOptions {
  /** A client that does not convert rows. */
  readonly client: DynamoDBDocumentClient;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** The version that rows get: the current or the previous version. */
  readonly to: WrittenVersions;
  /**
   * The kinds of rows to convert.
   * @default the kinds of this release
   */
  readonly kinds?: RowKinds;
}

/**
 * Returns the migrations of this release: one that moves credits to shards, and one for each kind
 * of rows with a conversion. For `to` = `previous`, replaces the move of credits, which cannot be
 * reversed, by one that merges the changed items of pages into their pages.
 */
export function migrationsOf(options: MigrationsOptions): readonly Migration[] {
  const { kinds = rowKinds, to } = options;
  const conversions = Object.entries(kinds).flatMap(([name, kind]) => {
    const { conversion } = kind;
    return conversion === undefined ? [] : [rowConversion(options, { name, kind, conversion })];
  });
  return [
    to === "current" ? accountShards(options) : mergeSecondRows(pageTable(options)),
    ...conversions,
  ];
}

const pageTable = ({
  client,
  tables,
  kinds = rowKinds,
  to,
  ...time
}: MigrationsOptions): PageTable => ({
  ...time,
  client: versionedClient(client, { kinds, writes: to }),
  table: tables.watchlists,
});

/** Moves the credits of accounts from before release 0.1.0 from the accounts' rows to shards. */
function accountShards({ client, tables, clock, random }: MigrationsOptions): Migration {
  const { accounts: accountsTable, ledger: ledgerTable } = tables;
  const process = ledgerProcess(versionedClient(client), {
    accountsTable,
    ledgerTable,
    clock,
    random,
  });
  return {
    name: "account-shards",
    about: "accounts whose credits are in their row",
    table: "accounts",
    isPending: (row) => isOfKind(rowKinds.account, row) && row["shards"] === undefined,
    migrate: async (row) =>
      void (await openShards(process, accountIdOf({ pk: String(row["pk"]) }))),
  };
}

interface ConvertedKind {
  readonly name: string;
  readonly kind: RowKind;
  readonly conversion: Conversion;
}

function rowConversion(
  { client, tables, to, clock, random }: MigrationsOptions,
  { name, kind, conversion }: ConvertedKind,
): Migration {
  const version = writtenVersion(kind, to);
  const table = tables[kind.table];
  const isPending = (row: Row): boolean => isOfKind(kind, row) && versionOf(row) !== version;
  return {
    name: `${name}-version-${version}`,
    about: `rows of kind ${name} to version ${version}`,
    table: kind.table,
    isPending,
    async migrate(foundRow) {
      let row: Row = foundRow;
      await whileRowsChange({ clock, random }, "row", async () => {
        assertAccepted(kind, versionOf(row), "The row");
        if (await convertRow(client, { table, row, conversion })) return "done";
        const stored = await storedRow(client, table, keyOf(foundRow));
        if (stored === undefined || !isPending(stored)) return "done";
        row = stored;
        return "again";
      });
    },
  };
}

const keyOf = (row: Row): RowKey => ({ pk: String(row["pk"]), sk: String(row["sk"]) });

async function storedRow(
  client: DynamoDBDocumentClient,
  TableName: string,
  Key: RowKey,
): Promise<Row | undefined> {
  const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return Item;
}
