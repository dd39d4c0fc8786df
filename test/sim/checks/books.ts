import assert from "node:assert/strict";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { reconcile } from "../../../scripts/admin/reconcile.ts";
import { concurrencyFor } from "../../../shared/accounts/account.ts";
import type { Row } from "../../../shared/aws/dynamo.ts";
import { accountKeys } from "../../../shared/aws/table.ts";
import { differenceLine } from "../../../shared/base/difference.ts";
import type { User, World } from "../world.ts";

export interface Rows {
  readonly account: Row;
  /** In the order of their sequence. */
  readonly entries: readonly Row[];
  readonly holds: readonly Row[];
}

/** Everything that is kept of an account's credits, in one consistent look. */
export async function booksOf(
  { client, table }: Pick<World, "client" | "table">,
  accountId: string,
): Promise<Rows> {
  const rows: Row[] = [];
  let from: Row | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": accountKeys.account(accountId).pk },
        ...(from === undefined ? {} : { ExclusiveStartKey: from }),
      }),
    );
    rows.push(...Items);
    from = LastEvaluatedKey;
  } while (from !== undefined);
  const below = (prefix: string): Row[] => rows.filter(({ sk }) => String(sk).startsWith(prefix));
  const account = rows.find(({ sk }) => sk === "account");
  assert(account !== undefined, `${accountId} has a row`);
  return { account, entries: below("entry#"), holds: below("hold#") };
}

const sumOf = (rows: readonly Row[]): number =>
  rows.reduce((sum, { credits }) => sum + Number(credits), 0);

/** Credits of charges that were taken back. */
export const takenBack = (entries: readonly Row[]): number =>
  sumOf(entries.filter((entry) => entry["charged_at"] !== undefined));

/** As long as API Gateway waits for an answer: no hold is given back while its call may still answer. */
const longestAnswerMs = 29_000;

/**
 * What holds of an account at every instant: nothing is below 0, what is held and in flight is what
 * open holds say, no more calls are in flight than its tier allows, and nothing is lost or made up.
 */
export function assertSound({ account, entries, holds }: Rows): void {
  const [balance, held, spent, inFlight] = ["balance", "held", "spent", "in_flight"].map((name) =>
    Number(account[name]),
  ) as [number, number, number, number];
  const open = holds.filter(({ state }) => state === "open");
  for (const { hold_id: id, created_at: from, due_at: to } of open) {
    const heldMs = Date.parse(String(to)) - Date.parse(String(from));
    assert(heldMs >= longestAnswerMs, `${String(id)} is held for ${heldMs} ms only`);
  }
  assert(balance >= 0 && held >= 0 && spent >= 0, `${balance} credits, ${held} held`);
  assert.equal(held, sumOf(open), "what is held is what open holds say");
  assert.equal(inFlight, open.filter(({ slot }) => slot === true).length, "slots in use");
  const concurrency = concurrencyFor(Number(account["lifetime"]));
  assert.equal(account["concurrency"], concurrency, "the tier of what was bought");
  assert(inFlight <= concurrency, `${inFlight} calls in flight`);
  const given = entries
    .filter(({ type }) => ["grant", "purchase", "adjust"].includes(String(type)))
    .reduce((sum, row) => sum + Number(row["balance_after"]) - Number(row["balance_before"]), 0);
  assert.equal(balance + held + spent, given, "credits are neither lost nor made up");
  entries.forEach(({ sequence }, n) => assert.equal(sequence, n + 1, "numbers of entries"));
  const ofType = (type: string): Row[] => entries.filter((entry) => entry["type"] === type);
  assert.equal(sumOf(ofType("charge")) - takenBack(entries), spent, "what was spent was charged");
}

/** Entries stay as they were written (M7), and what was bought once counts for ever (C6). */
function assertContinued(before: Rows, { account, entries }: Rows): void {
  assert.deepEqual(entries.slice(0, before.entries.length), before.entries, "entries stay");
  assert(Number(account["lifetime"]) >= Number(before.account["lifetime"]), "the tier never falls");
}

/** Looks at an account's books whenever a transaction has changed them. */
export function watchBooks(world: World, users: readonly User[]): void {
  const keys = new Map(
    users.map(({ accountId }) => [accountKeys.account(accountId).pk, accountId]),
  );
  const seen = new Map<string, Rows>();
  world.watchers.push(async ({ operation, input }) => {
    if (operation !== "TransactWriteItems") return;
    for (const [pk, accountId] of keys) {
      if (!touches(input, pk)) continue;
      try {
        const rows = await booksOf(world, accountId);
        assertSound(rows);
        assertContinued(seen.get(accountId) ?? rows, rows);
        seen.set(accountId, rows);
      } catch (error) {
        world.violated(error as Error);
      }
    }
  });
}

type Marshalled = { readonly pk?: { readonly S?: string }; readonly sk?: { readonly S?: string } };
type Write = { readonly Key?: Marshalled; readonly Item?: Marshalled };

function touches(input: Readonly<Record<string, unknown>>, pk: string): boolean {
  const writes = input["TransactItems"] as readonly Readonly<Record<string, Write>>[];
  return writes
    .flatMap((write) => Object.values(write))
    .map(({ Key, Item }) => Key ?? Item)
    .some((key) => key?.pk?.S === pk && key.sk?.S === "account");
}

/** Compares whatever the tables keep twice, as operators do. */
export async function assertReconciled(world: World): Promise<void> {
  const { client, table, turns } = world;
  const tables = { accounts: table, ledger: table, watchlists: table, deliveries: table };
  const found: string[] = [];
  await reconcile(client, tables, {
    accountId: null,
    runsMax: 20,
    // What is younger than a minute may still move, and is passed over.
    clock: { now: () => new Date(turns.now() + 2 * 60_000), sleep: async () => {} },
    report: (difference) => found.push(differenceLine(difference)),
  });
  assert.deepEqual(found, [], "reconcile finds nothing");
}
