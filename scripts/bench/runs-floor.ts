/**
 * Does only the necessary work of a run engine, as a loop in a separate process. The loop parses
 * the source's text, extracts the fields, compares the fields with the last reading, and compresses
 * the results.
 */
import { zstdCompressSync } from "node:zlib";
import { changedFields } from "../../shared/pipelines/compare.ts";
import { scrapers, type Snapshot } from "../../shared/scrapers/catalog.ts";
import { snapshotOf } from "../../shared/scrapers/snapshot.ts";
import { cpuTimer } from "../measure/cpu-timer.ts";
import { answerFiles, type Tier } from "../measure/runs-answers.ts";
import { median } from "./median.ts";
import { doTasks } from "./do-tasks.ts";

const rounds = 3;
const answersDir = process.env["BENCH_ANSWERS"] ?? "";
/** The last reading of each item at a tier other than pulse, by item ID. */
const product = new Map<string, Snapshot>();
const pulse = new Map<string, Snapshot>();

function readAll(keep: (tier: Tier, id: string, snapshot: Snapshot) => void): void {
  for (const { tier, read } of answerFiles(answersDir)) {
    const scraper = `retailer_a.${tier}` as const;
    const fields = scrapers[scraper].testableFields;
    const last = tier === "pulse" ? pulse : product;
    const results = read().map((answer) => {
      const snapshot = answer.status === "ok" ? snapshotOf(scraper, answer.fields) : {};
      const before = last.get(answer.id);
      const changes = before === undefined ? {} : changedFields(before, snapshot, fields);
      return { id: answer.id, snapshot, changes };
    });
    zstdCompressSync(JSON.stringify(results));
    for (const { id, snapshot } of results) keep(tier, id, snapshot);
  }
}

const remember = (tier: Tier, id: string, snapshot: Snapshot): void => {
  if (tier !== "pulse") product.set(id, snapshot);
  const { newCount = null, newMinPrice = null } = snapshot;
  pulse.set(id, { newCount, newMinPrice });
};

/**
 * Returns the median CPU milliseconds of a round. The last readings change only after all rounds,
 * so that each round does the same comparisons.
 */
function measure(): number {
  const times = Array.from({ length: rounds }, () => {
    const cpuMs = cpuTimer();
    readAll(() => {});
    return cpuMs();
  });
  readAll(remember);
  return median(times);
}

doTasks(measure);
