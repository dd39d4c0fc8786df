import { Duration } from "aws-cdk-lib";
import {
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  ResponseTransferMode,
  RestApi,
} from "aws-cdk-lib/aws-apigateway";
import type { IResource, MethodDeploymentOptions, StageOptions } from "aws-cdk-lib/aws-apigateway";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { groups } from "../../functions/routes.ts";
import type { Group, GroupName } from "../../functions/routes.ts";
import { acknowledge } from "../acknowledgements.ts";
import type { Config, ResponseMode, Stage, Throttle } from "../config.ts";
import { pinLogicalId } from "../pin-logical-id.ts";
import { accessLogFormat } from "./access-log.ts";
import { addGatewayResponses } from "./gateway-responses.ts";
import { accountQuota, burstOf, methodLimits, throttleSums } from "./method-limits.ts";
import type { LiveAlias, ServiceFunction } from "./service-function.ts";

export interface ApiProps {
  /**
   * First path segment of the execute-api URL. The path that handlers receive does not contain it.
   */
  readonly stage: Stage;
  readonly config: Config;
  readonly functions: Readonly<Record<GroupName, ServiceFunction<GroupName>>>;
  /**
   * True if the API has a custom domain. The execute-api endpoint is then disabled, because clients
   * could use it to bypass the custom domain, for example to avoid the domain's TLS policy.
   */
  readonly hasCustomDomain: boolean;
}

/**
 * Timeout that exceeds the gateway's idle timeout of a stream (`gatewaySeconds`), so that the idle
 * timeout is always reached first.
 */
const streamingTimeout = Duration.seconds(320);

/** The cdk-nag rule that the role for access logs violates. */
const logRolePolicy =
  "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]";

/**
 * The REST API. It sends all methods of a group's root paths, and of all paths below them, to the
 * function of the group. That function selects the route. It sends all other requests to the
 * function that handles unknown paths.
 * @throws Error if the limits of the stage exceed the quota of the AWS account
 */
export class Api extends Construct {
  readonly restApi: RestApi;

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    this.restApi = this.gateway(props);
    // The logical ID is pinned, because the URL of the API contains the API's ID.
    pinLogicalId(this.restApi, "Api");
    addGatewayResponses(this.restApi);
    this.addRoutes(props);
  }

  private gateway({ stage, config, hasCustomDomain }: ApiProps): RestApi {
    const makesLogRole = config.accessLogs === "setup";
    const api = new RestApi(this, "RestApi", {
      restApiName: `retail-product-data-${stage}`,
      description: "Retail product data service.",
      // An edge-optimized endpoint would end a stream after 30 idle seconds.
      endpointTypes: [EndpointType.REGIONAL],
      // Functions receive bodies unchanged, and may send compressed responses.
      binaryMediaTypes: ["*/*"],
      cloudWatchRole: makesLogRole,
      ...(hasCustomDomain && { disableExecuteApiEndpoint: true }),
      deployOptions: {
        stageName: stage,
        tracingEnabled: false,
        ...limitOf(config.throttle.otherwise),
        methodOptions: methodOptions(config.throttle),
        ...this.accessLog(config),
      },
    });
    acknowledge(
      api,
      "AwsSolutions-APIG2",
      "AwsSolutions-APIG4",
      "AwsSolutions-APIG6",
      "AwsSolutions-COG4",
    );
    if (makesLogRole) acknowledge(api, logRolePolicy);
    if (config.accessLogs === "off") acknowledge(api.deploymentStage, "AwsSolutions-APIG1");
    return api;
  }

  private accessLog(config: Config): StageOptions {
    if (config.accessLogs === "off") return {};
    const logGroup = new LogGroup(this, "AccessLogs", {
      retention: config.logRetention,
      removalPolicy: config.removalPolicy,
    });
    return {
      accessLogDestination: new LogGroupLogDestination(logGroup),
      accessLogFormat,
    };
  }

  private addRoutes({ functions, config }: ApiProps): void {
    const version = this.restApi.root.addResource("v1");
    for (const { name, live } of Object.values(functions)) {
      const group: Group = groups[name];
      const integration = lambdaIntegration(live, group, config.responseMode);
      // For an unknown path below /v1, the gateway may use the /v1 branch instead of the root's
      // catch-all resource, so both need a catch-all resource.
      const parent = group.unversioned ? this.restApi.root : version;
      const covered = [
        ...(group.handlesOtherPaths ? [this.restApi.root, version] : []),
        ...group.roots.map((root) => parent.addResource(root)),
      ];
      for (const resource of covered) addCatchAll(resource, integration);
    }
  }
}

const limitOf = (requestsPerSecond: number): MethodDeploymentOptions => ({
  throttlingRateLimit: requestsPerSecond,
  throttlingBurstLimit: burstOf(requestsPerSecond),
});

/**
 * The limits of single methods, by resource and HTTP method.
 * @throws Error if the limits add up to more than API Gateway's quota for the AWS account
 */
function methodOptions(throttle: Throttle): Record<string, MethodDeploymentOptions> {
  const sums = throttleSums(throttle);
  if (sums.requestsPerSecond > accountQuota.requestsPerSecond || sums.burst > accountQuota.burst) {
    throw new Error(
      `The limits of 'throttle' in lib/config.ts add up to ${sums.requestsPerSecond} calls per second ` +
        `and a burst of ${sums.burst} calls. API Gateway's quota for the AWS account is ` +
        `${accountQuota.requestsPerSecond} calls per second and a burst of ${accountQuota.burst} calls. Lower the limits.`,
    );
  }
  return Object.fromEntries(
    methodLimits(throttle).map(({ path, verb, requestsPerSecond }) => [
      `${path}/${verb}`,
      limitOf(requestsPerSecond),
    ]),
  );
}

/** Sends all methods of a resource, and of all paths below it, to an integration. */
function addCatchAll(resource: IResource, integration: LambdaIntegration): void {
  resource.addMethod("ANY", integration);
  resource.addResource("{proxy+}").addMethod("ANY", integration);
}

/**
 * Creates the integration of a group's function, with streamed responses if the group uses them.
 */
function lambdaIntegration(
  target: LiveAlias,
  group: Group,
  responseMode: ResponseMode,
): LambdaIntegration {
  const streams = group.streaming && responseMode === "stream";
  return new LambdaIntegration(target, {
    // There is one permission for the whole API. One for each method would exceed the maximum size
    // of the alias's policy.
    scopePermissionToMethod: false,
    ...(streams
      ? { responseTransferMode: ResponseTransferMode.STREAM, timeout: streamingTimeout }
      : {}),
  });
}
