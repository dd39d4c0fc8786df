import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { buildApp } from "../../lib/build-app.ts";
import { metricKinds } from "../../shared/observability/metric-names.ts";
import type { Assumptions } from "./assumptions.ts";
import { monthDays } from "./stored-bytes.ts";
import { sumOf, times, type Usage } from "../measure/usage.ts";

const minutesPerMonth = monthDays * 24 * 60;

const resource = v.object({ Type: v.string(), Properties: v.optional(v.unknown()) });
const templateSchema = v.object({ Resources: v.record(v.string(), resource) });
type Resource = v.InferOutput<typeof resource>;
const ofExpression = v.object({
  Metrics: v.array(v.object({ MetricStat: v.optional(v.unknown()) })),
});

/** Returns the resources of the CDK app for the stage prod. */
function prodResources(eventBus: "on" | "off" = "off"): readonly Resource[] {
  const outdir = mkdtempSync(join(tmpdir(), "costs-"));
  try {
    const context = { stage: "prod", sources: "sandbox", eventBus };
    return buildApp({ bundle: false, outdir, context })
      .synth()
      .stacks.flatMap(({ template }) => Object.values(v.parse(templateSchema, template).Resources));
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/**
 * Returns the number of metrics that CloudWatch bills for all alarms. An alarm on an expression
 * counts once for each metric in the expression.
 */
export function alarmMetrics(resources: readonly Resource[]): number {
  return resources
    .filter(({ Type }) => Type === "AWS::CloudWatch::Alarm")
    .map(({ Properties }) => {
      if (!v.is(ofExpression, Properties)) return 1;
      return Properties.Metrics.filter(({ MetricStat }) => MetricStat !== undefined).length;
    })
    .reduce((sum, count) => sum + count, 0);
}

const ofFirewall = v.object({ Rules: v.array(v.unknown()) });

/** Returns the number of rules in all web ACLs. */
export const firewallRules = (resources: readonly Resource[]): number =>
  resources
    .filter(({ Type }) => Type === "AWS::WAFv2::WebACL")
    .map(({ Properties }) => v.parse(ofFirewall, Properties).Rules.length)
    .reduce((sum, count) => sum + count, 0);

interface Standing {
  readonly sweeperPass: Usage;
  /** The number of custom metrics, as `LogMeter.metrics` counts them. */
  readonly metrics: number;
}

/**
 * Returns the monthly usage of the stage prod without API calls or watchlists: the passes of the
 * sweeper, the polling of the queues, and the resources with a monthly price.
 */
export function standingMonth(
  { sweeperPass, metrics }: Standing,
  { idleReceivesPerMinute }: Assumptions,
): Usage {
  const resources = prodResources();
  const count = (type: string): number => resources.filter(({ Type }) => Type === type).length;
  const receives = count("AWS::Lambda::EventSourceMapping") * idleReceivesPerMinute;
  return sumOf([
    times(sweeperPass, minutesPerMonth),
    {
      sqsRequest: receives * minutesPerMonth,
      kmsKeyMonth: count("AWS::KMS::Key"),
      firewallMonth: count("AWS::WAFv2::WebACL"),
      firewallRuleMonth: firewallRules(resources),
      alarmMonth: alarmMetrics(resources),
      dashboardMonth: count("AWS::CloudWatch::Dashboard"),
      metricMonth: metrics,
    },
  ]);
}

/** Returns the additional monthly usage of a stage with the event bus. */
export const busMonth = (): Usage => ({
  alarmMonth: alarmMetrics(prodResources("on")) - alarmMetrics(prodResources()),
  metricMonth: Object.keys(metricKinds.event_bus.metrics).length,
});
