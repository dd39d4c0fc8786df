import { useState } from "preact/hooks";
import type { ApiClient } from "../../api/client.ts";
import type { CreditTransaction, List } from "../../api/resources.ts";
import { type Query, useQuery } from "../../api/use-query.ts";

const dayMs = 86_400_000;
/** The largest number of charges in a page of the API. */
const pageSize = 100;
/** The maximum number of pages that are read at first, so that large accounts load fast. */
const firstPages = 10;
/** The maximum number of pages that are read if the user asks for all charges. */
const pagesMax = 100;

/** The charges of the account in a period that ends now. */
export interface Charges {
  /** The charges, newest first. */
  readonly entries: readonly CreditTransaction[];
  /** Start of the part of the period whose charges were read. */
  readonly since: Date;
  /** True if the period has older charges that can be read. */
  readonly hasMore: boolean;
}

/**
 * The charges of the last days, and a function that reads the charges that the first pages did not
 * contain.
 */
export interface ChargesQuery extends Query<Charges> {
  /** Reads up to 10,000 charges instead of up to 1,000. */
  readonly readAll: () => void;
}

/**
 * Reads the charges of the last `days` days, newest first: up to 1,000 at first, and up to 10,000
 * after a call of `readAll`.
 */
export function useCharges(days: number): ChargesQuery {
  const [allOf, setAllOf] = useState<number>();
  const pages = allOf === days ? pagesMax : firstPages;
  const query = useQuery((api, signal) => readCharges(api, { days, pages, signal }), [days, pages]);
  return { ...query, readAll: () => setAllOf(days) };
}

interface Reading {
  readonly days: number;
  readonly pages: number;
  readonly signal: AbortSignal;
}

async function readCharges(api: ApiClient, { days, pages, signal }: Reading): Promise<Charges> {
  const since = new Date(Date.now() - days * dayMs);
  const isIn = ({ created_at: at }: CreditTransaction): boolean => new Date(at) >= since;
  const entries: CreditTransaction[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const answer = await api.get<List<CreditTransaction>>("credit_transactions", {
      signal,
      query: { type: "charge", limit: pageSize, starting_after: cursor },
    });
    entries.push(...answer.data.filter(isIn));
    const isEnd = answer.next_starting_after == null || !answer.data.every(isIn);
    if (isEnd) return { entries, since, hasMore: false };
    cursor = answer.next_starting_after;
  }
  const oldest = entries.at(-1);
  return {
    entries,
    since: oldest === undefined ? since : new Date(oldest.created_at),
    hasMore: pages < pagesMax,
  };
}
