import assert from "node:assert/strict";
import type { Row } from "../../../shared/aws/table/dynamo.ts";
import type { LedgerState } from "./ledger-state.ts";

/**
 * Checks the daily budgets of an account and its watchlists after each write (invariant M11):
 * - The used credits of a budget and UTC day are the open holds and the charges that count towards
 *   the budget.
 * - The used credits never exceed the budget, except for what was used before the budget was set.
 * - Each shard has the budget of the account.
 * @throws Error if a check fails
 */
export function assertBudgets(ledger: LedgerState): void {
  const { account, shards, budgets } = ledger;
  for (const { number, row } of shards) {
    assert.equal(row["budget"], account["daily_credit_budget"], `budget of shard ${number}`);
  }
  const counted = countedCredits(ledger);
  const limits = limitsOf(ledger);
  for (const { sk, used, base = 0 } of budgets) {
    const [, owner = "", day] = String(sk).split("#");
    const name = `${owner} ${day}`;
    assert.equal(
      Number(used) - Number(base),
      counted.get(name) ?? 0,
      `used credits of the budget ${name}`,
    );
    counted.delete(name);
    const limit = limits.get(owner);
    if (limit === undefined) continue;
    assert(Number(used) <= Math.max(limit, Number(base)), `${name}: more than ${limit} credits`);
  }
  for (const [name, credits] of counted) assert.equal(credits, 0, `budget ${name} has no row`);
}

function limitsOf({ account, watchlists }: LedgerState): ReadonlyMap<string, number> {
  const ofAccount = account["daily_credit_budget"];
  const limits = new Map<string, number>();
  if (typeof ofAccount === "number") limits.set("account", ofAccount);
  for (const { id, daily_credit_budget: budget } of watchlists) {
    if (typeof budget === "number") limits.set(String(id), budget);
  }
  return limits;
}

/** Returns the credits of the holds and charges that use each daily budget, by owner and day. */
function countedCredits({ shards, holdRows }: LedgerState): Map<string, number> {
  const counted = new Map<string, number>();
  const count = (owner: string, day: unknown, credits: unknown): void => {
    if (typeof day !== "string") return;
    counted.set(`${owner} ${day}`, (counted.get(`${owner} ${day}`) ?? 0) + Number(credits));
  };
  for (const { row, records } of shards) {
    for (const { y, c } of Object.values((row["holds"] ?? {}) as Record<string, Row>)) {
      count("account", y, c);
    }
    const settled = records.filter(({ t }) => t === "s");
    for (const { y, c } of settled) count("account", y, c);
    for (const { t, h, c } of records) {
      const day = settled.find((record) => record["h"] === h)?.["y"];
      if (t === "b") count("account", day, -Number(c));
    }
  }
  for (const hold of holdRows) {
    const credits = hold["state"] === "open" ? hold["credits"] : (hold["charged"] ?? 0);
    count("account", hold["account_budget_day"], credits);
    count(String(hold["watchlist_id"]), hold["budget_day"], credits);
  }
  return counted;
}
