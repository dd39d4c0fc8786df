import {
  type Metadata,
  type Pipeline,
  runOrder,
  stepOf,
} from "../../shared/pipelines/definition.ts";
import { applyOutcome } from "./apply-outcome.ts";
import { batchResult } from "../../shared/runs/outcome.ts";
import type { ItemOutcome } from "../../shared/runs/item-outcome.ts";
import type { Snapshot } from "../../shared/scrapers/catalog.ts";
import type { ReadStatus } from "../../shared/scrapers/scraper.ts";
import { type Item, newItem } from "../../shared/watchlists/item.ts";
import { decodeItems, encodeItems } from "../../shared/watchlists/page-codec.ts";

/** A read of one item in a separate run. */
export interface PlayedRead {
  readonly status: Extract<ReadStatus, "ok" | "unavailable" | "not_found">;
  readonly seen: Snapshot;
  /** The metadata that a client has stored with the item. @default none */
  readonly metadata?: Metadata;
  /** Minutes since the previous read. */
  readonly after: number;
  /**
   * ID of the step that reads.
   * @default the entry step of the pipeline
   */
  readonly step?: string;
  /**
   * The pipeline of this run and of later runs.
   * @default the pipeline of the previous run
   */
  readonly pipeline?: Pipeline;
}

/** The effect of a read: whether a next step reads the item, and what the events contain. */
export interface Effect {
  readonly isRouted: boolean;
  readonly isMatched: boolean;
  /** The changes of the item in `watchlist.product.changed`; null if that event lacks the item. */
  readonly changes: unknown;
}

export const playStart = Date.UTC(2026, 10, 1);

/**
 * Applies the reads of one item by the rules of runs, one run for each read. Encodes and decodes
 * the item after each read, as a store does. Returns the effect of each read, and the final item.
 * @param repeats the number of times that each outcome is applied
 */
export function playReads(
  pipeline: Pipeline,
  reads: readonly PlayedRead[],
  repeats = 1,
): { readonly effects: readonly Effect[]; readonly item: Item } {
  let item: Item = newItem("1", new Date(playStart).toISOString());
  let time = playStart;
  let current = pipeline;
  const effects: Effect[] = [];
  for (const [n, read] of reads.entries()) {
    time += read.after * 60_000;
    current = read.pipeline ?? current;
    const step = stepOf(current, read.step ?? current.entry);
    const { metadata = {} } = read;
    const { outcomes } = batchResult(
      { pipeline: current, step },
      {
        items: new Map([["1", item]]),
        planned: 1,
        at: new Date(time).toISOString(),
        detailsOf: () => ({ metadata }),
      },
      [answerOf(read, time)],
    );
    const [outcome] = outcomes;
    effects.push(effectOf(outcome));
    if (outcome === undefined) continue;
    const order = runOrder(current);
    const reading = {
      runId: `run_${n}`,
      runNumber: n + 1,
      pipeline: current,
      step: step.id,
      position: order.indexOf(step),
      scraper: step.scraper,
    };
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      [item = item] = decodeItems(encodeItems([applyOutcome(item, outcome, reading)]));
    }
  }
  return { effects, item };
}

const answerOf = ({ status, seen }: PlayedRead, time: number) => ({
  id: "1",
  status,
  fetchedAt: new Date(time).toISOString(),
  quarters: 4,
  observed: status === "ok" ? seen : null,
});

const effectOf = (outcome: ItemOutcome | undefined): Effect => ({
  isRouted: outcome?.next !== undefined,
  isMatched: outcome?.matched !== undefined,
  changes: outcome?.reported === undefined ? null : (outcome.reportedChanges ?? outcome.changes),
});
