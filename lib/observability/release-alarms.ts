import { Duration } from "aws-cdk-lib";
import { MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import type { FunctionName } from "../../functions/environment.ts";
import { aliasName } from "../constructs/service-function.ts";
import type { Observed } from "./observed.ts";
import { ServiceAlarm } from "./service-alarm.ts";
import { ownMetric } from "./service-metrics.ts";

const period = Duration.minutes(1);
const failuresMin = 2;

/**
 * An alarm on the newest version of each function. It reacts within minutes, because it decides
 * whether a gradual deployment continues.
 */
export class ReleaseAlarms extends Construct {
  readonly byFunction: ReadonlyMap<FunctionName, ServiceAlarm>;

  constructor(scope: Construct, id: string, { stage, functions }: Observed) {
    super(scope, id);
    this.byFunction = new Map(
      functions.map(({ name, lambda }) => [
        name,
        new ServiceAlarm(this, name, {
          name: `release-failing-${name}`,
          metric: new MathExpression({
            expression: "FILL(broken, 0) + FILL(unforeseen, 0)",
            usingMetrics: {
              broken: errorsOfNewestVersion(lambda),
              // The service's own metric counts the errors of all versions, because it has no
              // dimension for the version. The metric is needed, because a worker's invocation
              // succeeds even if it reports a failed message to its queue.
              unforeseen: ownMetric(
                stage,
                { kind: "errors", name: "unforeseen_errors", statistic: Stats.SUM, minutes: 1 },
                { service: name },
              ),
            },
            label: "Errors of the newest version",
            period,
          }),
          threshold: failuresMin,
          periods: { breaching: 2, of: 5 },
          impact: `The newest version of the function ${name} fails. A deployment that is in progress is rolled back.`,
          lookAt: `error lines of the service ${name} since the last deployment.`,
          act: "if a deployment is in progress, wait for its automatic rollback; if it is complete, roll it back.",
          runbook: "alarm-release-failing",
        }),
      ]),
    );
  }
}

/**
 * Returns the errors of a function's newest version. Uses the name of the alias instead of a
 * reference, because the alias depends on this alarm.
 */
function errorsOfNewestVersion({ functionName, currentVersion }: LambdaFunction): Metric {
  return new Metric({
    namespace: "AWS/Lambda",
    metricName: "Errors",
    dimensionsMap: {
      FunctionName: functionName,
      Resource: `${functionName}:${aliasName}`,
      ExecutedVersion: currentVersion.version,
    },
    statistic: Stats.SUM,
    period,
  });
}
