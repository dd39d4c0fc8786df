import type { Operations } from "./generated/operations.ts";
import type { OperationId } from "./policy.ts";
import type { CallArguments, CallOptions, Transport } from "./transport.ts";

/** The operations that return a list in pages. */
export type ListId = {
  [Id in OperationId]: Operations[Id]["result"] extends {
    data: readonly unknown[];
    has_more: boolean;
  }
    ? Id
    : never;
}[OperationId];

/** An entry of a list. */
export type EntryOf<Id extends ListId> = Operations[Id]["result"]["data"][number];

interface Page {
  readonly data: readonly unknown[];
  readonly has_more: boolean;
  readonly next_after?: string | null;
  readonly next_starting_after?: string | null;
}

/**
 * Iterates over the entries of all pages of a list. Reads the next page when all entries of the
 * current page have been used.
 * @throws RangeError if the list has more entries than its first page, and the operation has no
 * parameter for the next page
 * @throws TypeError if the response contains no list
 */
export async function* entriesOf<Id extends ListId>(
  transport: Transport,
  operation: Id,
  ...[options]: CallArguments<Id>
): AsyncGenerator<EntryOf<Id>, void, undefined> {
  let next: Record<string, unknown> = {};
  const { query = {} } = (options ?? {}) as { query?: object };
  for (;;) {
    const input = { ...options, query: { ...query, ...next } } as unknown as CallOptions<Id>;
    const page: Page = await transport.call<Id>(operation, ...([input] as CallArguments<Id>));
    if (!Array.isArray(page.data))
      throw new TypeError(
        `The response to ${operation} has no list 'data'. Check the address of the service.`,
      );
    yield* page.data as EntryOf<Id>[];
    if (!page.has_more) return;
    next = nextQuery(operation, page);
  }
}

/**
 * Returns the query parameters that select the page after `page`.
 * @throws RangeError if the operation cannot return further pages
 */
function nextQuery(operation: ListId, page: Page): Record<string, unknown> {
  if (page.next_after !== undefined) return { after: page.next_after };
  if (page.next_starting_after !== undefined) return { starting_after: page.next_starting_after };
  const last = page.data.at(-1) as { id?: string; run_number?: number } | undefined;
  if (operation === "listWatchlistRuns" && last !== undefined)
    return { before_run: last.run_number };
  const isAfterId = operation === "listWatchlistItems" || operation === "getWatchlistItemHistory";
  if (isAfterId && last !== undefined) return { starting_after: last.id };
  throw new RangeError(
    `The list has more entries, but ${operation} returns only one page. Set a higher 'limit', or read only the first entries with 'call'.`,
  );
}
