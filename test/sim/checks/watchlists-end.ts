import assert from "node:assert/strict";
import type { Row as StoredRow } from "../../../shared/aws/table/dynamo.ts";
import type { RowKey } from "../../../shared/aws/table/table.ts";
import type { KnownWatchlist, Tenant } from "../scenarios/watchlists-tenant.ts";
import type { World } from "../world.ts";
import type { watchPurges } from "./watchlists-purged.ts";
import { assertReconciled } from "./reconciled.ts";
import { allRows } from "./table-rows.ts";

type Row = StoredRow & RowKey;

/**
 * Checks watchlists, API keys and ledgers. Call it when no work is left and the faults have
 * stopped.
 * @throws Error if a check fails
 */
export async function checkEnd(
  world: World,
  tenants: readonly Tenant[],
  purges: ReturnType<typeof watchPurges>,
): Promise<void> {
  const rows = await allRows(world);
  for (const tenant of tenants) {
    checkLists(rows, tenant);
    checkLedger(rows, tenant);
    checkKeys(rows, tenant);
  }
  checkOrphans(rows);
  purges.check(rows);
  checkNotOverdue(world, rows);
  await assertReconciled(world, world.clock);
}

const listHead = "watchlist#";
const historyHead = "history#";
/** Returns the sort key of the watchlist whose history is in a partition. */
const listOf = (pk: string): string => listHead + pk.slice(historyHead.length);
const below = (rows: readonly Row[], accountId: string, head: string): readonly Row[] =>
  rows.filter(({ pk, sk }) => pk === `account#${accountId}` && sk.startsWith(head));

/**
 * Checks that each requested watchlist exists once, and that no other watchlist exists (invariants
 * C2 and C3).
 */
function checkLists(rows: readonly Row[], { user, lists, creations, others }: Tenant): void {
  const stored = below(rows, user.accountId, listHead);
  const ids = new Set(stored.map(({ sk }) => sk.slice(listHead.length)));
  const isThere = ({ id }: KnownWatchlist): boolean => ids.has(id);
  for (const list of lists) {
    if (list.goneAt !== undefined)
      assert.ok(!isThere(list), `${list.id} exists after its deletion`);
    if (list.deletes === 0) assert.ok(isThere(list), `${list.id} is lost`);
  }
  const known = new Set(lists.map(({ id }) => id));
  const unanswered = new Set(
    creations.filter(({ outcome }) => outcome === "unknown").map(({ name }) => name),
  );
  const strange = stored
    .filter(({ sk }) => !known.has(sk.slice(listHead.length)))
    .map(({ name }) => String(name))
    .filter((name) => !name.startsWith("filler "));
  assert.equal(new Set(strange).size, strange.length, `created twice: ${strange.join(", ")}`);
  for (const name of strange)
    assert.ok(unanswered.has(name), `${name} was created without a request`);
  const fillers = stored.length - strange.length - lists.filter(isThere).length;
  assert.equal(fillers, others, "watchlists that no user changed");
}

/** Checks that calls are not charged if they only change watchlists and API keys (invariant M5). */
function checkLedger(rows: readonly Row[], { user }: Tenant): void {
  for (const entry of below(rows, user.accountId, "entry#")) {
    if (entry["type"] === "grant") continue;
    assert.match(String(entry["run_id"]), /^wlrun_/, `${entry.sk} is of a run`);
    assert.equal(entry["request_id"], undefined, `${entry.sk} is of no call`);
  }
}

function checkKeys(rows: readonly Row[], tenant: Tenant): void {
  const ids = new Set(
    below(rows, tenant.user.accountId, "key#").map(({ sk }) => sk.slice("key#".length)),
  );
  for (const { id, revokes, revokedAt } of tenant.keys) {
    if (revokedAt !== undefined) assert.ok(!ids.has(id), `${id} exists after its revocation`);
    if (revokes === 0) assert.ok(ids.has(id), `${id} is lost`);
  }
  const known = tenant.keys.filter(({ id }) => ids.has(id)).length;
  const strange = ids.size - known - tenant.otherKeys - 1;
  assert.ok(
    strange >= 0 && strange <= tenant.keysUnknown,
    `${strange} keys without a known creation`,
  );
}

/** Checks that no row of a deleted watchlist is left (invariants R11 and C3). */
function checkOrphans(rows: readonly Row[]): void {
  const lists = new Set(
    rows
      .filter(({ pk, sk }) => pk.startsWith("account#") && sk.startsWith(listHead))
      .map(({ sk }) => sk),
  );
  const ofLists = rows.filter(({ pk }) => pk.startsWith(listHead));
  const runs = new Set(
    ofLists.filter(({ sk }) => sk.startsWith("run#")).map((row) => `run#${String(row["id"])}`),
  );
  const orphans = [
    ...ofLists.filter(({ pk }) => !lists.has(pk)),
    // If a worker writes a row after the purge, the row has a time to live, and DynamoDB deletes
    // it.
    ...rows.filter(({ pk, ttl }) => pk.startsWith("run#") && !runs.has(pk) && ttl === undefined),
    ...rows.filter(({ pk }) => pk.startsWith(historyHead) && !lists.has(listOf(pk))),
    ...rows.filter(({ sk }) => sk === "purge"),
  ];
  assert.deepEqual(
    orphans.map(({ pk, sk }) => `${pk}/${sk}`),
    [],
    "rows of watchlists that do not exist",
  );
}

const overdueMs = 5 * 60_000;

/**
 * Checks that no active watchlist is overdue (invariant R10). Call it after the faults have
 * stopped.
 */
function checkNotOverdue(world: World, rows: readonly Row[]): void {
  for (const row of rows.filter(
    ({ sk, pk }) => pk.startsWith("account#") && sk.startsWith(listHead),
  )) {
    const next: unknown = row["next_run_at"];
    if (typeof next !== "string") continue;
    const late = world.tasks.now() - Date.parse(next);
    assert.ok(late <= overdueMs, `${row.sk} is overdue since ${next}`);
  }
}
