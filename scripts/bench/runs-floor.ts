/**
 * What no engine can do without, in a bare loop in a process of its own: parse the source's text,
 * take the fields out, compare them with the last reading, compress the results of each call.
 */
import { zstdCompressSync } from "node:zlib";
import { changedFields } from "../../shared/pipelines/compare.ts";
import { scrapers, type Snapshot } from "../../shared/scrapers/catalogue.ts";
import { snapshotOf } from "../../shared/scrapers/snapshot.ts";
import { answerFiles, type Tier } from "../measure/runs-answers.ts";

const rounds = 3;
const answersDir = process.env["BENCH_ANSWERS"] ?? "";
/** By item, the last reading of each kind. */
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

process.on("message", () => {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    readAll(() => {});
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
  }
  readAll(remember);
  process.send?.({ cpuMs: times.toSorted((a, b) => a - b)[1] });
});
process.once("disconnect", () => process.exit(0));
