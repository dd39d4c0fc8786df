import { assert } from "../../base/assert.ts";
import type { JournalRecord } from "../../credits/journal.ts";
import type { CreditSource } from "../../credits/ledger.ts";
import type { Row } from "../table/dynamo.ts";

/**
 * The stored codes of record types. They have one letter, because every update of a shard costs
 * write units for the size of its row.
 */
const typeCodes = {
  reserve: "r",
  settle: "s",
  take_back: "b",
  grant: "g",
  purchase: "p",
  adjust: "j",
  transfer: "x",
} as const satisfies Record<JournalRecord["type"], string>;

/**
 * Returns the stored form of a record: `t` type, `a` stamp, `h` hold, `c` credits, `r` refunded,
 * `n` items charged, `k` whether the work succeeded, `y` day of the budget, `d` time of the charge,
 * `i` change ID, `f` source.
 */
export function recordRow(record: JournalRecord): Row {
  const { at: a } = record;
  const t = typeCodes[record.type];
  if (record.type === "settle") {
    const { holdId: h, charged: c, refunded: r, succeeded: k, items: n, budgetDay: y } = record;
    const f = journalSourceRow(record.source);
    return { t, a, h, c, r, k, f, ...(n !== undefined && { n }), ...(y !== undefined && { y }) };
  }
  const { credits: c } = record;
  if (record.type === "reserve") {
    return { t, a, h: record.holdId, c, f: journalSourceRow(record.source) };
  }
  if (record.type === "take_back") {
    return { t, a, h: record.holdId, c, d: record.chargedAt, f: journalSourceRow(record.source) };
  }
  const hasChange = record.type !== "transfer" && record.changeId !== null;
  return { t, a, c, ...(hasChange && { i: record.changeId }) };
}

/**
 * Parses a stored record. The inverse of `recordRow`.
 * @throws Error for a record of an unknown type
 */
export function recordOf(row: Row): JournalRecord {
  const [at, credits, holdId] = [Number(row["a"]), Number(row["c"]), String(row["h"])];
  const source = journalSourceOf(row["f"] as Row | undefined, holdId);
  switch (row["t"]) {
    case typeCodes.reserve:
      return { type: "reserve", at, holdId, credits, source };
    case typeCodes.settle:
      return {
        type: "settle",
        at,
        holdId,
        charged: credits,
        refunded: Number(row["r"]),
        items: typeof row["n"] === "number" ? row["n"] : undefined,
        succeeded: row["k"] === true,
        source,
        ...(typeof row["y"] === "string" && { budgetDay: row["y"] }),
      };
    case typeCodes.take_back:
      return { type: "take_back", at, holdId, credits, chargedAt: String(row["d"]), source };
    case typeCodes.transfer:
      return { type: "transfer", at, credits };
    default: {
      const type = (["grant", "purchase", "adjust"] as const).find(
        (name) => typeCodes[name] === row["t"],
      );
      assert(type !== undefined, "a journal record must have a known type");
      const changeId = typeof row["i"] === "string" ? row["i"] : null;
      return { type, at, credits, changeId };
    }
  }
}

/**
 * Returns the stored form of the call or step that caused a hold. For a call: `e` endpoint, `k` API
 * key. For a step: `u` run, `m` run number, `p` step. For both: `w` watchlist, `s` scraper, `n`
 * items. A call's request ID is not stored, because it equals the hold ID.
 */
export function journalSourceRow(source: CreditSource): Row {
  const { scraper: s, items: n } = source;
  return "requestId" in source
    ? { e: source.endpoint, k: source.apiKeyId, w: source.watchlistId, s, n }
    : { u: source.runId, p: source.step, w: source.watchlistId, m: source.runNumber, s, n };
}

/**
 * Parses the stored form of the call or step that caused a hold. The inverse of `journalSourceRow`.
 * If the row is undefined, returns an item call with the request ID `holdId` and no other fields.
 */
export function journalSourceOf(row: Row | undefined, holdId: string): CreditSource {
  const { e, k, s, n, u, p, w, m } = row ?? {};
  const work = {
    ...(typeof w === "string" && { watchlistId: w }),
    ...(typeof s === "string" && { scraper: s }),
    ...(typeof n === "number" && { items: n }),
  };
  if (typeof u !== "string") {
    return {
      requestId: holdId,
      ...(typeof e === "string" && { endpoint: e }),
      ...(typeof k === "string" && { apiKeyId: k }),
      ...work,
    };
  }
  return {
    runId: u,
    step: String(p),
    ...(typeof m === "number" && { runNumber: m }),
    ...work,
  };
}
