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
   * @default - what the CDK command line asks for, else a temporary folder
   */
  readonly outdir?: string;
  /**
   * Wins over what the command line says.
   * @default - what the command line says
   */
  readonly context?: GivenContext;
  /**
   * Folder of the stages' files, each `<stage>.json` with the context that the command line leaves
   * out.
   * @default - no file is read: the same templates wherever they are made
   */
  readonly stageFiles?: string;
  /**
   * False leaves the functions' code unbundled and the templates unvalidated: templates only, in a
   * second.
   * @default true
   */
  readonly bundle?: boolean;
}

/**
 * The whole app, ready for `synth()`. The same templates come out in-process and through the CDK
 * command line, because both start from the feature flags in cdk.json.
 */
export function buildApp(props: BuildAppProps = {}): App {
  const app = new App({
    ...(props.outdir === undefined ? {} : { outdir: props.outdir }),
    analyticsReporting: false,
    builtinCloudFormationValidation: props.bundle ?? true,
    context: { ...cdkSettings.context, ...stageFileOf(props) },
    postCliContext: {
      ...props.context,
      ...(props.bundle === false && { "aws:cdk:bundling-stacks": [] }),
    },
  });
  const context = readContext(app);
  const { stage } = context;
  const config = configOf(context);
  const data = new DataStack(app, stackName(stage, "data"), {
    ...stackProps(stage, "what must survive a deployment"),
    stage,
    config: dataConfigOf(config, context),
  });
  new ServiceStack(app, stackName(stage, "service"), {
    ...stackProps(stage, "the API and the workers"),
    data,
    stage,
    config,
    firewall: context.firewall,
    ...(context.domain && { domain: context.domain }),
    ...(context.demoApiKey !== undefined && { demoApiKey: context.demoApiKey }),
  });
  return app;
}

/** What the stage's file says, if there is one. */
function stageFileOf({ stageFiles, context = {} }: BuildAppProps): GivenContext {
  if (stageFiles === undefined) return {};
  // A bare app reads the command line as the real one will.
  const asked = new App({
    analyticsReporting: false,
    treeMetadata: false,
    autoSynth: false,
    postCliContext: context,
  });
  const file = join(stageFiles, `${stageIn(asked)}.json`);
  return existsSync(file) ? parseStageFile(file, readFileSync(file, "utf8")) : {};
}

/** Name of a stack in CloudFormation and in the cloud assembly. */
export function stackName(stage: Stage, part: "data" | "service"): string {
  return `RetailProductData-${stage}-${part}`;
}

/** CloudFormation passes a stack's tags on to every resource that takes tags. */
const stackProps = (stage: Stage, holds: string): StackProps => ({
  description: `Retail product data service, ${stage}: ${holds}.`,
  tags: { service: "retail-product-data", stage },
});

function configOf({ stage, sources, ...context }: Context): Config {
  const { responseMode, accessLogs, ...config } = configs[stage];
  const wished = {
    ...config,
    responseMode: context.responseMode ?? responseMode,
    accessLogs: context.accessLogs ?? accessLogs,
    ...(context.reservesConcurrency ? {} : { reservedConcurrency: null }),
  };
  const resolved =
    context.accountConcurrency === undefined
      ? wished
      : withAccountConcurrency(wished, context.accountConcurrency);
  assertConcurrency(resolved);
  return { ...resolved, sources };
}

/**
 * Takes the protection off when the one stack that it covers is named, which no habit and no copied
 * command line of another stage does.
 */
function dataConfigOf(config: Config, { stage, unprotect }: Context): Config {
  if (unprotect === undefined) return config;
  if (unprotect !== stackName(stage, "data")) {
    throw new Error(
      `Context 'unprotect' must be ${stackName(stage, "data")}, the data stack of stage ${stage}.`,
    );
  }
  return { ...config, protectedFromDeletion: false, removalPolicy: RemovalPolicy.DESTROY };
}
