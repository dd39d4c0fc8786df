import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { quantity } from "../../shared/base/quantity.ts";

const metric = v.object({
  MetricStat: v.object({
    Metric: v.looseObject({ MetricName: v.unknown(), Namespace: v.unknown() }),
    Period: v.unknown(),
    Stat: v.unknown(),
  }),
});
const alarm = v.object({
  Type: v.literal("AWS::CloudWatch::Alarm"),
  Properties: v.looseObject({ Metrics: v.array(v.unknown()) }),
});
const visibleQueue = v.object({
  Type: v.literal("AWS::SQS::Queue"),
  Properties: v.looseObject({ VisibilityTimeout: v.number() }),
});
const visibilitySeconds = 45;
const template = v.looseObject({ Resources: v.record(v.string(), v.unknown()) });

/**
 * Replaces alarms on expressions in the templates of a cloud assembly, because emulators support
 * only alarms on one metric. The new alarm uses the first metric of the expression. It keeps the
 * name, so references remain valid.
 * @param assembly The folder of the cloud assembly.
 * @returns A line with the number of changed alarms.
 * @throws Error if an expression contains no metric.
 */
export function simplifyAlarms(assembly: string): string {
  const changed = changeResources(assembly, (resource) => {
    if (!v.is(alarm, resource)) return false;
    Object.assign(resource, { Properties: onOneMetric(resource.Properties) });
    return true;
  });
  return `changed in the templates: ${quantity(changed, "alarm")} on expressions, now on one metric`;
}

/**
 * Shortens the visibility timeouts of the queues in a cloud assembly. Unlike Lambda, the emulator
 * ends the invocations of a function when its code changes. With the original timeouts, their
 * messages would stay invisible for up to half an hour.
 * @param assembly The folder of the cloud assembly.
 * @returns A line with the number of changed queues.
 */
export function shortenVisibility(assembly: string): string {
  const changed = changeResources(assembly, (resource) => {
    if (!v.is(visibleQueue, resource)) return false;
    Object.assign(resource.Properties, { VisibilityTimeout: visibilitySeconds });
    return true;
  });
  return `changed in the templates: ${quantity(changed, "queue")}, whose messages reappear after ${visibilitySeconds} s`;
}

/**
 * Changes resources in the templates of a cloud assembly.
 * @param change returns true if it changed the resource
 * @returns the number of changed resources
 */
function changeResources(assembly: string, change: (resource: unknown) => boolean): number {
  let changed = 0;
  const names = readdirSync(assembly);
  for (const name of names.filter((one) => one.endsWith(".template.json"))) {
    const file = join(assembly, name);
    const before = readFileSync(file, "utf8");
    const content = v.parse(template, JSON.parse(before));
    changed += Object.values(content.Resources).filter(change).length;
    const after = JSON.stringify(content, null, 1);
    writeFileSync(file, after);
    rename(assembly, names, [sha256(before), sha256(after)]);
  }
  return changed;
}

/**
 * Renames a changed template. A template is uploaded under its hash, so the old name would refer to
 * the old content.
 */
function rename(
  assembly: string,
  names: readonly string[],
  [before, after]: readonly [string, string],
): void {
  for (const name of names.filter((one) => /(?:^manifest|\.assets)\.json$/.test(one))) {
    const file = join(assembly, name);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(before, after));
  }
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

function onOneMetric({ Metrics, ...others }: v.InferOutput<typeof alarm>["Properties"]): unknown {
  const first = Metrics.find((one) => v.is(metric, one));
  if (!v.is(metric, first)) {
    throw new Error(
      `An alarm contains expressions, but no metric that the emulator could use instead. Add a metric to the alarm: ${JSON.stringify(others)}`,
    );
  }
  const { Metric, Period, Stat } = first.MetricStat;
  const statistic = /^(?:p\d|tm|wm|tc|ts)/i.test(String(Stat))
    ? { ExtendedStatistic: Stat }
    : { Statistic: Stat };
  return { ...others, ...Metric, Period, ...statistic };
}
