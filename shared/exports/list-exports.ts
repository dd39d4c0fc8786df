import type { InferOutput } from "valibot";
import type { exportsQuery, exportsResponse } from "./export-schema.ts";
import type { ExportStore } from "./export-store.ts";
import { presentExport } from "./present.ts";

/** A page of the account's export log, newest first. */
export async function listExports(
  accountId: string,
  { limit, starting_after: before, state }: InferOutput<typeof exportsQuery>,
  exports: Pick<ExportStore, "list">,
): Promise<InferOutput<typeof exportsResponse>> {
  const page = await exports.list(accountId, {
    limit,
    before: before ?? null,
    state: state ?? null,
  });
  return {
    object: "list",
    data: page.exports.map(presentExport),
    has_more: page.lastId !== null,
    next_starting_after: page.lastId,
  };
}
