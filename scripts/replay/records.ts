import { createWriteStream, type WriteStream } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import type { Product } from "./price-files.ts";
import type { Decision } from "./watchlists.ts";

/** A decision, with the product's ID in the price file instead of the item ID. */
interface DecisionRecord extends Omit<Decision, "itemId"> {
  readonly shop: string;
  readonly product: string;
  /** The day as `YYYY-MM-DD`. */
  readonly day: string;
}

interface PointRecord {
  readonly shop: string;
  readonly product: string;
  /** Time of the read, ISO 8601. */
  readonly at: string;
  readonly price: unknown;
}

/** A run, and what its brake decided. */
interface RunRecord {
  readonly shop: string;
  readonly list: string;
  /** The day as `YYYY-MM-DD`. */
  readonly day: string;
  /** The number by which the prices of the day were multiplied. */
  readonly factor: number;
  /** The number of items with a new change. `read` is the number of items that were read. */
  readonly changed: number;
  readonly read: number;
  readonly isHeld: boolean;
}

/** Files of JSON lines, for DuckDB, that list what the service has decided and stored. */
export interface Records {
  addShop(shop: {
    readonly shop: string;
    /** The last day that the replay plays for the shop, as `YYYY-MM-DD`. */
    readonly lastDay: string;
    readonly products: readonly Product[];
  }): void;
  addDecision(decision: DecisionRecord): void;
  addPoint(point: PointRecord): void;
  addRun(run: RunRecord): void;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

/** The names of the files that contain the records, by kind of record. */
export const recordFiles = {
  products: "products.jsonl",
  decisions: "decisions.jsonl",
  points: "points.jsonl",
  runs: "runs.jsonl",
} as const;

/** Opens the files of the records in an existing folder. Empties files that exist. */
export function openRecords(folder: string): Records {
  const open = (name: string): WriteStream => createWriteStream(join(folder, name));
  const products = open(recordFiles.products);
  const decisions = open(recordFiles.decisions);
  const points = open(recordFiles.points);
  const runs = open(recordFiles.runs);
  return {
    addShop({ shop, lastDay, products: replayed }) {
      for (const { id } of replayed) write(products, { shop, product: id, last_day: lastDay });
    },
    addDecision({ shop, product, day, rule, change }) {
      const { before = null, after = null } = change ?? {};
      write(decisions, { shop, product, day, rule, before, after });
    },
    addPoint({ shop, product, at, price }) {
      write(points, { shop, product, read_at: at, price });
    },
    addRun({ isHeld, ...run }) {
      write(runs, { ...run, is_held: isHeld });
    },
    async close() {
      for (const stream of [products, decisions, points, runs]) {
        stream.end();
        await once(stream, "finish");
      }
    },
  };
}

const write = (stream: WriteStream, row: object): void =>
  void stream.write(`${JSON.stringify(row)}\n`);
