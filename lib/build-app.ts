import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { App, RemovalPolicy } from "aws-cdk-lib";
import type { StackProps } from "aws-cdk-lib";
import cdkSettings from "../cdk.json" with { type: "json" };
import { assertConcurrency, configs, withAccountConcurrency } from "./config.ts";
import type { Config, Stage } from "./config.ts";
import { parseStageFile, readContext, stageIn } from "./context.ts";
import type { Context, GivenContext } from "./context.ts";
import { DataStack } from "./data-stack.ts";
import { ServiceStack } from "./service-stack.ts";

export interface BuildAppProps {
  /**
   * Folder for the templates.
   * @default - the folder that the CDK command line specifies, otherwise a temporary folder
   */
  readonly outdir?: string;
  /**
   * Context that overrides the context of the command line.
   * @default - the context of the command line
   */
  readonly context?: GivenContext;
  /**
   * Folder of the stage files. The file `<stage>.json` sets context keys that the command line does
   * not set.
   * @default - no file is read, so that templates do not depend on the machine
   */
  readonly stageFiles?: string;
  /**
   * False to omit the bundles of the functions, the validation, the stack traces and the construct
   * tree, so that the templates are created in about a second.
   * @default true
   */
  readonly bundle?: boolean;
}

/**
 * Builds the CDK app of a stage, ready for `synth()`. The CDK command line creates the same
 * templates, because this function also uses the feature flags in cdk.json.
 * @param props context and output folder; everything has a default
 * @throws Error that describes the first invalid context value
 */
export function buildApp(props: BuildAppProps = {}): App {
  const { bundle = true } = props;
  const app = new App({
    ...(props.outdir === undefined ? {} : { outdir: props.outdir }),
    analyticsReporting: false,
    builtinCloudFormationValidation: bundle,
    stackTraces: bundle,
    treeMetadata: bundle,
    context: { ...cdkSettings.context, ...stageFileOf(props) },
    postCliContext: {
      ...props.context,
      ...(!bundle && { "aws:cdk:bundling-stacks": [] }),
    },
  });
  const context = readContext(app);
  const { stage } = context;
  const config = configOf(context);
  const dataStack = new DataStack(app, stackName(stage, "data"), {
    ...stackProps(stage, "tables, event bodies, keys and the alarm topic"),
    stage,
    config: dataConfigOf(config, context),
    backups: context.backups,
    eventBus: context.eventBus,
    analytics: context.analytics,
    serviceStackName: stackName(stage, "service"),
  });
  new ServiceStack(app, stackName(stage, "service"), {
    ...stackProps(stage, "the API and the workers"),
    dataStack,
    stage,
    config,
    firewall: context.firewall,
    eventBus: context.eventBus,
    ...(context.domain && { domain: context.domain }),
    ...(context.demoApiKey !== undefined && { demoApiKey: context.demoApiKey }),
  });
  return app;
}

/** Returns the context in the stage's file; empty if there is no such file. */
function stageFileOf({ stageFiles, context = {} }: BuildAppProps): GivenContext {
  if (stageFiles === undefined) return {};
  // The stage comes from the command line, which only an app can read. This app is empty.
  const emptyApp = new App({
    analyticsReporting: false,
    treeMetadata: false,
    autoSynth: false,
    postCliContext: context,
  });
  const file = join(stageFiles, `${stageIn(emptyApp)}.json`);
  return existsSync(file) ? parseStageFile(file, readFileSync(file, "utf8")) : {};
}

/**
 * Returns the name of a stack in CloudFormation and in the cloud assembly, such as
 * `RetailProductData-prod-data`.
 */
export function stackName(stage: Stage, stack: "data" | "service"): string {
  return `RetailProductData-${stage}-${stack}`;
}

/**
 * Returns the description and the tags of a stack. CloudFormation adds the tags to every resource
 * of the stack that supports tags.
 */
const stackProps = (stage: Stage, content: string): StackProps => ({
  description: `Retail product data service, ${stage}: ${content}.`,
  tags: { service: "retail-product-data", stage },
});

/**
 * Returns the configuration of a stage with the settings of the context.
 * @throws Error if the workers and reservations leave too little concurrency for other functions
 */
function configOf({ stage, sources, storedVersions, ...context }: Context): Config {
  const { responseMode, accessLogs, deployment, ...config } = configs[stage];
  const withContext = {
    ...config,
    responseMode: context.responseMode ?? responseMode,
    accessLogs: context.accessLogs ?? accessLogs,
    deployment: context.deployment ?? deployment,
    ...(context.reservesConcurrency ? {} : { reservedConcurrency: null }),
  };
  const resolved =
    context.accountConcurrency === undefined
      ? withContext
      : withAccountConcurrency(withContext, context.accountConcurrency);
  assertConcurrency(resolved);
  return { ...resolved, sources, storedVersions };
}

/**
 * Returns the configuration of the data stack. The stack has no protection against deletion if the
 * context key `unprotect` is its full name.
 * @throws Error if `unprotect` has another value, for example on a command line that was copied
 * from another stage
 */
function dataConfigOf(config: Config, { stage, unprotect }: Context): Config {
  if (unprotect === undefined) return config;
  if (unprotect !== stackName(stage, "data")) {
    throw new Error(
      `Context key 'unprotect' must be ${stackName(stage, "data")}, the data stack of stage ${stage} (got "${unprotect}"). Correct or omit it.`,
    );
  }
  return { ...config, protectedFromDeletion: false, removalPolicy: RemovalPolicy.DESTROY };
}
