import assert from "node:assert/strict";
import type { Attempt } from "../attempt.ts";
import type { World } from "../world.ts";

interface Key {
  readonly pk: string;
  readonly sk: string;
}
type Wire = Readonly<Record<string, { readonly S?: string } | undefined>>;
type Write = { readonly Item?: Wire; readonly Key?: Wire };

/**
 * Starts to check that each purge deletes all rows that were written before the purge started.
 * DynamoDB deletes rows that a worker writes later, because they have a time to live.
 */
export function watchPurges(world: World): {
  /**
   * Checks `rows`, all rows of the table at the end of a seed.
   * @throws AssertionError if a purge has left a row of a run
   */
  check(rows: readonly Key[]): void;
} {
  let moment = 0;
  const writtenAt = new Map<string, number>();
  const begunAt = new Map<string, number>();
  /** The moment at which the last finished purge started, by partition of the watchlist. */
  const purged = new Map<string, number>();
  /** The partition key of the watchlist, by the partition key of each of its runs. */
  const listOf = new Map<string, string>();
  world.afterEffect.push((attempt) => {
    moment += 1;
    for (const { pk, sk, id } of written(attempt)) {
      if (pk.startsWith("run#")) writtenAt.set(`${pk}/${sk}`, moment);
      if (sk.startsWith("run#") && id !== undefined) listOf.set(`run#${id}`, pk);
      if (sk !== "purge") continue;
      if (attempt.operation !== "DeleteItem") begunAt.set(pk, moment);
      else purged.set(pk, begunAt.get(pk) ?? 0);
    }
  });
  return {
    check(rows) {
      if (purged.size > 0) world.reached("a deleted watchlist was purged");
      for (const { pk, sk } of rows.filter((row) => row.pk.startsWith("run#"))) {
        const begun = purged.get(listOf.get(pk) ?? "") ?? 0;
        assert.ok(
          (writtenAt.get(`${pk}/${sk}`) ?? 0) >= begun,
          `${pk}/${sk} remains after the purge`,
        );
      }
    },
  };
}

const single: ReadonlySet<string> = new Set(["PutItem", "UpdateItem", "DeleteItem"]);

function written(attempt: Attempt): readonly (Key & { readonly id: string | undefined })[] {
  if (attempt.service !== "dynamo") return [];
  return writesOf(attempt).flatMap(({ Item, Key = Item }) => {
    const [pk, sk] = [Key?.["pk"]?.S, Key?.["sk"]?.S];
    return pk === undefined || sk === undefined ? [] : [{ pk, sk, id: Item?.["id"]?.S }];
  });
}

function writesOf({ operation, input }: Attempt): readonly Write[] {
  if (single.has(operation)) return [input];
  if (operation === "TransactWriteItems") {
    const items = input["TransactItems"] as readonly Readonly<Record<string, Write>>[];
    return items.flatMap(({ Put, Update }) => [Put, Update].filter((one) => one !== undefined));
  }
  if (operation !== "BatchWriteItem") return [];
  const tables = input["RequestItems"] as Readonly<
    Record<string, readonly { readonly PutRequest?: Write }[]>
  >;
  return Object.values(tables)
    .flat()
    .flatMap(({ PutRequest }) => (PutRequest === undefined ? [] : [PutRequest]));
}
