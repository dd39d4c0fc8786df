import { itemsWritten } from "../../tools/dynamodb/conflicts.ts";
import type { Attempt } from "./attempt.ts";

/** Names the ledger operation behind a write to shards; undefined for writes of other rows. */
export function ledgerWriteOf({ operation, input }: Attempt): string | undefined {
  const rows = itemsWritten(operation, input);
  const shards = rows.filter(({ sk }) => sk === "shard").length;
  if (operation === "UpdateItem") return shards === 1 ? plainWriteOf(input) : undefined;
  if (operation !== "TransactWriteItems") return undefined;
  const has = (pattern: RegExp): boolean => rows.some(({ sk }) => pattern.test(sk));
  if (has(/^account$/)) return shards > 0 ? "migration or purchase" : "the previous release";
  if (shards === 0) return undefined;
  if (has(/^page#/)) return "copy of a journal";
  if (has(/^hold#/)) return "step or cancellation";
  return shards > 1 ? "transfer" : "other transaction";
}

function plainWriteOf({ UpdateExpression }: Attempt["input"]): string {
  const expression = String(UpdateExpression);
  if (expression.includes("#holds.#hold = :hold")) return "reserve";
  if (expression.includes("REMOVE #holds.#hold")) return "settle";
  if (/due_(kind|at)/.test(expression)) return "due mark";
  return expression.includes("fence") ? "fence of a listing" : "other write";
}
