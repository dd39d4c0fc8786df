import { join } from "node:path";
import type { Duration } from "aws-cdk-lib";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IGrantable, IPrincipal } from "aws-cdk-lib/aws-iam";
import { Architecture, RecursiveLoop, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogLevel, NodejsFunction, OutputFormat } from "aws-cdk-lib/aws-lambda-nodejs";
import type { BundlingOptions } from "aws-cdk-lib/aws-lambda-nodejs";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { readEnvironment } from "../../functions/environment.ts";
import type { EnvironmentOf, FunctionName } from "../../functions/environment.ts";
import type { Config } from "../config.ts";

export interface ServiceFunctionProps<Name extends FunctionName> {
  /** Folder below `functions` whose handler.ts is the entry. */
  readonly name: Name;
  readonly description: string;
  readonly timeout: Duration;
  readonly memoryMegabytes: number;
  readonly config: Config;
  /** Exactly the variables that functions/environment.ts lists for this function. */
  readonly variables: EnvironmentOf<Name>;
  /**
   * True when messages of this function may reach it again on purpose; Lambda would otherwise stop
   * the sixteenth.
   * @default false
   */
  readonly feedsItself?: boolean;
  /**
   * Invocations at once that are this function's own, and its most.
   * @default - what the account has left
   */
  readonly reservedConcurrency?: number;
}

const projectRoot = join(import.meta.dirname, "..", "..");

/** How a function is bundled; the benches measure the same bundles. */
export const bundling: BundlingOptions = {
  format: OutputFormat.ESM,
  mainFields: ["module", "main"],
  minify: true,
  sourceMap: false,
  bundleAwsSDK: true,
  logLevel: LogLevel.WARNING,
  esbuildArgs: {
    "--alias:@aws-sdk/credential-provider-node": join(
      projectRoot,
      "shared/aws/sdk/environment-credentials.ts",
    ),
    "--alias:node:http": join(projectRoot, "shared/aws/sdk/node-http.ts"),
  },
  // Packages written for CommonJS call require(), which a module does not have.
  banner:
    'import{createRequire as bundleRequire}from"node:module";' +
    "const require=bundleRequire(import.meta.url);",
};

/** One Lambda function: how every function of the service is built, logged and configured. */
export class ServiceFunction<Name extends FunctionName> extends Construct implements IGrantable {
  readonly name: Name;
  readonly lambda: NodejsFunction;
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
      description: `What the function ${props.name} may do.`,
    });
    logGroup.grantWrite(role);

    this.lambda = new NodejsFunction(this, "Function", {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      projectRoot,
      depsLockFilePath: join(projectRoot, "package-lock.json"),
      entry: join(projectRoot, "functions", props.name, "handler.ts"),
      handler: "handler",
      bundling,
      timeout: props.timeout,
      memorySize: props.memoryMegabytes,
      role,
      logGroup,
      environment: {
        ...readEnvironment(props.name, props.variables),
        POWERTOOLS_SERVICE_NAME: props.name,
        // Name lookups wait in threads: one customer's dead name server must not hold up others.
        UV_THREADPOOL_SIZE: "64",
      },
      // The SDK keeps connections open by itself; the variable would be one that nobody listed.
      awsSdkConnectionReuse: false,
      ...(props.feedsItself === true ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
      ...(props.reservedConcurrency === undefined
        ? {}
        : { reservedConcurrentExecutions: props.reservedConcurrency }),
    });
    this.grantPrincipal = role;
  }
}
