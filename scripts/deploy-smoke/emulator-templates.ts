import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";

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
const template = v.looseObject({ Resources: v.record(v.string(), v.unknown()) });

/**
 * Replaces alarms on expressions in the templates of a cloud assembly, because emulators support
 * only alarms on one metric. The new alarm uses the first metric of the expression. It has the same
 * name, so references remain valid.
 * @returns a line with the number of changed alarms
 */
export function simplifyAlarms(assembly: string): string {
  let changed = 0;
  const names = readdirSync(assembly);
  for (const name of names.filter((one) => one.endsWith(".template.json"))) {
    const file = join(assembly, name);
    const before = readFileSync(file, "utf8");
    const content = v.parse(template, JSON.parse(before));
    for (const resource of Object.values(content.Resources)) {
      if (!v.is(alarm, resource)) continue;
      Object.assign(resource, { Properties: onOneMetric(resource.Properties) });
      changed += 1;
    }
    const after = JSON.stringify(content, null, 1);
    writeFileSync(file, after);
    rename(assembly, names, [sha256(before), sha256(after)]);
  }
  return `changed in the templates: ${changed} alarms on expressions, made on one metric`;
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
    throw new Error(`The alarm ${JSON.stringify(others)} has only expressions, and no metric.`);
  }
  const { Metric, Period, Stat } = first.MetricStat;
  const statistic = /^(?:p\d|tm|wm|tc|ts)/i.test(String(Stat))
    ? { ExtendedStatistic: Stat }
    : { Statistic: Stat };
  return { ...others, ...Metric, Period, ...statistic };
}
