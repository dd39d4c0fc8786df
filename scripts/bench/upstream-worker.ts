/**
 * One read through the adapter, as a process of its own: its memory is that of the reading and of
 * nothing else.
 */
import { systemChance, systemClock } from "../../shared/base/system.ts";
import { sourceClient, temporaryStatuses } from "../../shared/sources/http/polite-client.ts";
import { ownRateBudget } from "../../shared/sources/http/rate-budget.ts";
import { upstreamScraper } from "../../shared/sources/upstream/scraper.ts";
import type { UpstreamFigures, UpstreamTask } from "./upstream-task.ts";

const deadlineMs = 75_000;
const tryTimeoutMs = 15_000;
const replyBytesMax = 5 * 1024 * 1024;

/** Ids of the sandbox that are found for days to come: none of them fails on its own. */
function foundIds(count: number): string[] {
  const first = Math.floor(Date.now() / 1_000) + 7 * 24 * 3_600;
  return Array.from({ length: count }, (_, n) => `BX${String((first + n) % 1e8).padStart(8, "0")}`);
}

async function run(task: UpstreamTask): Promise<UpstreamFigures> {
  let calls = 0;
  let tries = 0;
  const [clock, chance] = [systemClock, systemChance];
  const client = sourceClient(
    {
      name: "upstream",
      callsPerSecond: task.callsPerSecond,
      burst: task.callsAtOnce,
      callsAtOnce: task.callsAtOnce,
      tryTimeoutMs,
      bytesMax: replyBytesMax,
      isTemporary: (status) => temporaryStatuses.has(status),
      userAgent: "bench",
    },
    {
      clock,
      chance,
      budget: ownRateBudget(),
      note: (event) => {
        if (event.kind !== "call") return;
        calls += 1;
        tries += event.tries;
      },
    },
  );
  const scraper = upstreamScraper(
    {
      baseUrl: task.baseUrl,
      batchIdsMax: task.batchIdsMax,
      callsAtOnceMax: task.callsAtOnce,
    },
    { client, clock, chance, note: () => {} },
  );
  const ids = foundIds(task.ids);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const answers = await scraper.read({
    scraper: "retailer_a.lite",
    marketplace: "us",
    ids,
    deadline: new Date(Date.now() + deadlineMs),
  });
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    wallMs,
    cpuMs: (user + system) / 1_000,
    calls,
    tries,
    answered: answers.filter(({ id, status }, n) => id === ids[n] && status === "ok").length,
    peakMegabytes: process.resourceUsage().maxRSS / 1_024,
  };
}

process.on("message", (task: UpstreamTask) => {
  void run(task).then((figures) => process.send?.(figures));
});
process.once("disconnect", () => process.exit(0));
process.send?.("ready");
