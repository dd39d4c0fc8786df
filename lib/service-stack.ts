import { CfnOutput, Stack } from "aws-cdk-lib";
import type { StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { ApiFunctions } from "./api-functions.ts";
import type { Config, Stage } from "./config.ts";
import { Api } from "./constructs/api.ts";
import { RunSchedules } from "./constructs/run-schedules.ts";
import type { DataStack } from "./data-stack.ts";
import { Workers } from "./workers.ts";

export interface ServiceStackProps extends StackProps {
  readonly stage: Stage;
  readonly config: Config;
  readonly data: DataStack;
}

/** Everything that works on the data: queues with their workers, schedules, and the API. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    super(scope, id, props);
    const { stage, config, data } = props;
    const schedules = new RunSchedules(this, "RunSchedules", {
      groupName: `retail-product-data-${stage}`,
    });
    const workers = new Workers(this, "Workers", { stage, config, data, schedules });
    const { byGroup } = new ApiFunctions(this, "ApiFunctions", {
      stage,
      config,
      data,
      workers,
      schedules,
    });
    const api = new Api(this, "Api", {
      stage,
      responseMode: config.responseMode,
      functions: byGroup,
    });
    this.outputs(api, workers);
  }

  private outputs(api: Api, workers: Workers): void {
    new CfnOutput(this, "ApiUrl", {
      value: api.restApi.url,
      description: "Paths of the API follow, beginning with v1/.",
    });
    const { runs, steps, finishes, deliveries } = workers;
    for (const [name, worker] of Object.entries({ runs, steps, finishes, deliveries })) {
      const label = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
      new CfnOutput(this, `${label}QueueUrl`, { value: worker.queue.queueUrl });
      new CfnOutput(this, `${label}DeadLetterQueueUrl`, { value: worker.deadLetterQueue.queueUrl });
    }
  }
}
