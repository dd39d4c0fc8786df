import assert from "node:assert/strict";
import { isOfKind, rowKinds } from "../../../shared/base/stored-kinds.ts";
import type { Stage } from "../stage.ts";
import { allRows } from "./table-rows.ts";

/**
 * Checks that every row of the table belongs to exactly one kind in `rowKinds`.
 * @throws Error if a check fails
 */
export async function checkRowKinds(stage: Stage): Promise<void> {
  for (const row of await allRows(stage)) {
    const kinds = Object.values(rowKinds).filter((kind) => isOfKind(kind, row));
    assert.equal(kinds.length, 1, `kinds of the row ${row.pk} / ${row.sk}`);
  }
}
