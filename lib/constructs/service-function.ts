import { join } from "node:path";
import type { Duration } from "aws-cdk-lib";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IGrantable, IPrincipal } from "aws-cdk-lib/aws-iam";
import { Alias, Architecture, Function, RecursiveLoop, Runtime } from "aws-cdk-lib/aws-lambda";
import type { IFunction, IVersion, Version } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { readEnvironment, storedVersionsVariable } from "../../functions/environment.ts";
import type { EnvironmentOf, FunctionName } from "../../functions/environment.ts";
import manifest from "../../package.json" with { type: "json" };
import type { Config } from "../config.ts";
import { bundledCode } from "./function-bundle.ts";

export interface ServiceFunctionProps<Name extends FunctionName> {
  /** Folder in `functions` that contains the entry file handler.ts. */
  readonly name: Name;
  readonly description: string;
  readonly timeout: Duration;
  readonly memoryMegabytes: number;
  readonly config: Config;
  /** Exactly the variables that functions/environment.ts lists for this function. */
  readonly variables: EnvironmentOf<Name>;
  /**
   * True if the function sends messages to its own queue. Otherwise Lambda's recursive loop
   * detection stops a chain of messages at the sixteenth message.
   * @default false
   */
  readonly sendsToItself?: boolean;
  /**
   * Reserved concurrency, which is also the function's limit.
   * @default - the unreserved concurrency of the AWS account
   */
  readonly reservedConcurrency?: number;
  /**
   * True if the function reads files of its folder `generated`: they are copied to the folder of
   * its code.
   * @default false
   */
  readonly readsGeneratedFiles?: boolean;
}

/**
 * The alias of a function. `Alias` implements `IFunction`, but its declared type does not match the
 * interface with the option `exactOptionalPropertyTypes`, so the intersection is needed.
 */
export type LiveAlias = Alias & IFunction;

/** Name of the alias through which every caller invokes a function. */
export const aliasName = "live";

/**
 * A Lambda function of the service, with its bundle, log group, role and environment variables.
 * Each deployment that changes the function publishes a version, to which the alias `live` then
 * points.
 */
export class ServiceFunction<Name extends FunctionName> extends Construct implements IGrantable {
  readonly name: Name;
  /**
   * The function itself, for metrics and settings. Callers must invoke the alias `live` instead.
   */
  readonly lambda: Function;
  readonly live: LiveAlias;
  readonly grantPrincipal: IPrincipal;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps<Name>) {
    super(scope, id);
    this.name = props.name;
    const logGroup = new LogGroup(this, "Logs", {
      retention: props.config.logRetention,
      removalPolicy: props.config.removalPolicy,
    });
    const role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      description: `Permissions of the function ${props.name}.`,
    });
    logGroup.grantWrite(role);

    this.lambda = new Function(this, "Function", {
      // The description contains the release, so that each release changes the configuration.
      // CloudFormation publishes a version after each change of the function's template, and fails
      // if neither the code nor the configuration changed.
      description: `${props.description} Release ${manifest.version}.`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: bundledCode(
        join(import.meta.dirname, "..", "..", "functions", props.name),
        props.readsGeneratedFiles === true,
      ),
      handler: "index.handler",
      timeout: props.timeout,
      memorySize: props.memoryMegabytes,
      role,
      logGroup,
      environment: {
        ...readEnvironment(props.name, props.variables),
        POWERTOOLS_SERVICE_NAME: props.name,
        // Each DNS lookup occupies a thread. With few threads, a slow name server of one customer
        // could delay lookups for others.
        UV_THREADPOOL_SIZE: "64",
        ...(props.config.storedVersions !== "current" && {
          [storedVersionsVariable]: props.config.storedVersions,
        }),
      },
      ...(props.sendsToItself === true ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
      ...(props.reservedConcurrency === undefined
        ? {}
        : { reservedConcurrentExecutions: props.reservedConcurrency }),
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see `LiveAlias`
    const version = this.lambda.currentVersion as Version & IVersion;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see `LiveAlias`
    this.live = new Alias(this, "Live", { aliasName, version }) as LiveAlias;
    this.grantPrincipal = role;
  }
}
