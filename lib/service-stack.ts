import { Aws, CfnOutput, Lazy, Stack } from "aws-cdk-lib";
import type { StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { acknowledgeNoFirewall } from "./acknowledgements.ts";
import { ApiFunctions } from "./api-functions.ts";
import type { Config, Stage } from "./config.ts";
import type { Domain, EventBusChoice, FirewallChoice } from "./context.ts";
import { Api } from "./constructs/api.ts";
import { CustomDomain } from "./constructs/custom-domain.ts";
import { Firewall } from "./constructs/firewall.ts";
import { GradualDeployment } from "./constructs/gradual-deployment.ts";
import { RunSchedules } from "./constructs/run-schedules.ts";
import { DataReferences } from "./data-references.ts";
import type { DataStack } from "./data-stack.ts";
import { Observability } from "./observability/observability.ts";
import { Workers } from "./workers.ts";

export interface ServiceStackProps extends StackProps {
  readonly stage: Stage;
  readonly config: Config;
  /** The stack whose outputs this stack reads. Deployed first. */
  readonly dataStack: DataStack;
  /** Whether the API has a web ACL. */
  readonly firewall: FirewallChoice;
  /** Whether the data stack has an event bus, to which the delivery worker sends events. */
  readonly eventBus: EventBusChoice;
  /** Custom domain of the API. @default - the execute-api URL only */
  readonly domain?: Domain;
  /** The public API key of the demo workspace. @default - the dashboard offers no demo workspace */
  readonly demoApiKey?: string;
}

/**
 * The stack without data: queues with their workers, schedules, and the API. You can delete it and
 * deploy it again:
 * - The sweeper sends the lost messages again, and restores the lost schedules from the rows.
 * - Dead letters are lost. Logs are lost too if the stage does not retain them.
 * - The execute-api URL and the target of a custom domain change. If the context has a hosted zone,
 *   the stack updates the DNS record. Otherwise point your record to the new output `DomainTarget`.
 */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    super(scope, id, props);
    const { stage, config, dataStack } = props;
    this.addStackDependency(dataStack);
    const data = new DataReferences(this, "Data", {
      stackName: dataStack.stackName,
      hasEventBus: props.eventBus.enabled,
    });
    const schedules = new RunSchedules(this, "RunSchedules", {
      groupName: `retail-product-data-${stage}`,
    });
    // The functions are created before the API that calls them. The address contains only the ID of
    // the API, because a reference to its deployment would be circular.
    const apiUrl = props.domain
      ? `https://${props.domain.name}/`
      : Lazy.string({
          produce: () =>
            `https://${restApi.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${stage}/`,
        });
    const workers = new Workers(this, "Workers", { stage, config, data, schedules, apiUrl });
    const { byGroup } = new ApiFunctions(this, "ApiFunctions", {
      stage,
      config,
      data,
      workers,
      schedules,
      apiUrl,
      ...(props.domain && { domainName: props.domain.name }),
      ...(props.demoApiKey !== undefined && { demoApiKey: props.demoApiKey }),
    });
    const { restApi } = new Api(this, "Api", {
      stage,
      config,
      functions: byGroup,
      hasCustomDomain: props.domain !== undefined,
    });
    if (props.firewall.enabled) new Firewall(this, "Firewall", { stage: restApi.deploymentStage });
    else acknowledgeNoFirewall(restApi.deploymentStage, props.firewall.reason);
    if (props.domain) new CustomDomain(this, "Domain", { api: restApi, domain: props.domain });
    const { releaseAlarms } = new Observability(this, "Observability", {
      stage,
      api: restApi,
      byGroup,
      workers,
      data,
      accountConcurrency: config.accountConcurrency,
      deploysGradually: config.deployment !== "all-at-once",
    });
    if (config.deployment !== "all-at-once") {
      new GradualDeployment(this, "Deployment", {
        deployment: config.deployment,
        functions: [...Object.values(byGroup), ...workers.functions],
        alarms: releaseAlarms,
      });
    }
    this.outputs(props.domain ? `https://${props.domain.name}/` : restApi.url, workers);
    if (config.storedVersions !== "current") {
      new CfnOutput(this, "StoredVersions", {
        value: config.storedVersions,
        description: "The versions of rows that the functions and operator commands write.",
      });
    }
  }

  private outputs(apiUrl: string, workers: Workers): void {
    new CfnOutput(this, "ApiUrl", {
      value: apiUrl,
      description: "Base URL of the API. Append a path that begins with v1/.",
    });
    const { runs, steps, finishes, deliveries } = workers;
    for (const [name, worker] of Object.entries({ runs, steps, finishes, deliveries })) {
      const label = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
      new CfnOutput(this, `${label}QueueUrl`, { value: worker.queue.queueUrl });
      new CfnOutput(this, `${label}DeadLetterQueueUrl`, { value: worker.deadLetterQueue.queueUrl });
    }
    new CfnOutput(this, "SweeperDeadLetterQueueUrl", {
      value: workers.sweeperDeadLetterQueue.queueUrl,
    });
  }
}
