import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { EventBus } from "aws-cdk-lib/aws-events";
import { CfnDiscoverer } from "aws-cdk-lib/aws-eventschemas";
import { Construct } from "constructs";
import { busSource } from "../../shared/event-bus/event-bus.ts";
import type { Stage } from "../config.ts";
import type { EventBusOptions } from "../context.ts";
import { pinLogicalId } from "../pin-logical-id.ts";

export interface DeploymentEventBusProps {
  readonly stage: Stage;
  readonly options: EventBusOptions;
}

/**
 * The EventBridge bus that receives the events of all accounts of the deployment. The deployer adds
 * rules to it, outside this app. The bus is in the data stack, so that it keeps its rules when the
 * service stack is replaced. CloudFormation cannot delete a bus that has rules of the deployer.
 */
export class DeploymentEventBus extends Construct {
  readonly bus: EventBus;

  constructor(scope: Construct, id: string, { stage, options }: DeploymentEventBusProps) {
    super(scope, id);
    this.bus = new EventBus(this, "Bus", {
      // The name is fixed, because the deployer's rules refer to the bus by its name.
      eventBusName: `retail-product-data-${stage}`,
      description: `Events of all accounts of stage ${stage}.`,
    });
    // The bus and its archive may be deleted, because the event feed also has the events. A
    // retained bus would keep its fixed name, so the deployer could not turn the bus on again.
    this.bus.applyRemovalPolicy(RemovalPolicy.DESTROY);
    pinLogicalId(this.bus, "EventBus");
    if (options.archiveDays !== undefined) {
      const archive = this.bus.archive("Archive", {
        archiveName: `retail-product-data-${stage}`,
        description: `Events of all accounts of stage ${stage}.`,
        eventPattern: { source: [busSource] },
        retention: Duration.days(options.archiveDays),
      });
      archive.applyRemovalPolicy(RemovalPolicy.DESTROY);
      pinLogicalId(archive, "EventBusArchive");
    }
    if (options.discoversSchemas) {
      const discoverer = new CfnDiscoverer(this, "Schemas", {
        sourceArn: this.bus.eventBusArn,
        description: `Schemas of the events of stage ${stage}.`,
        crossAccount: false,
      });
      discoverer.overrideLogicalId("EventBusSchemas");
    }
  }
}
