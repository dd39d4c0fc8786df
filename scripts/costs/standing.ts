import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDataFolder } from "../local/data-folder.ts";
import { synthesize } from "../local/synthesize.ts";
import type { Assumptions } from "./assumptions.ts";
import { monthDays } from "./stored-bytes.ts";
import { sumOf, times, type Usage } from "./usage.ts";

const minutesPerMonth = monthDays * 24 * 60;

/** How many resources of each type the CDK app makes. */
async function resourceCounts(): Promise<ReadonlyMap<string, number>> {
  const dir = mkdtempSync(join(tmpdir(), "costs-"));
  const folder = openDataFolder(dir, true);
  try {
    const counts = new Map<string, number>();
    for (const { template } of await synthesize(folder)) {
      for (const { Type } of Object.values(template.Resources)) {
        counts.set(Type, (counts.get(Type) ?? 0) + 1);
      }
    }
    return counts;
  } finally {
    folder.release();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** What the service uses in a month for being there: the sweeper looks after it every minute. */
export async function standingMonth(
  { lookAfter, metrics }: { readonly lookAfter: Usage; readonly metrics: number },
  { idleReceivesPerMinute }: Assumptions,
): Promise<Usage> {
  const counts = await resourceCounts();
  const count = (type: string): number => counts.get(type) ?? 0;
  const receives = count("AWS::Lambda::EventSourceMapping") * idleReceivesPerMinute;
  return sumOf([
    times(lookAfter, minutesPerMonth),
    {
      sqsRequest: receives * minutesPerMonth,
      kmsKeyMonth: count("AWS::KMS::Key"),
      alarmMonth: count("AWS::CloudWatch::Alarm"),
      dashboardMonth: count("AWS::CloudWatch::Dashboard"),
      metricMonth: metrics,
    },
  ]);
}
