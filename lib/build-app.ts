import { App } from "aws-cdk-lib";
import cdkSettings from "../cdk.json" with { type: "json" };
import { configs, responseModes, sandboxSources, stages } from "./config.ts";
import type { ResponseMode, Stage } from "./config.ts";
import { DataStack } from "./data-stack.ts";
import { ServiceStack } from "./service-stack.ts";
import { type SourceContext, sourcesOf } from "./source-config.ts";

export interface BuildAppProps {
  /**
   * Folder for the templates.
   * @default - what the CDK command line asks for, else a temporary folder
   */
  readonly outdir?: string;
  /** @default - context `stage`, else `dev` */
  readonly stage?: Stage;
  /** @default - context `responseMode`, else what the stage's config says */
  readonly responseMode?: ResponseMode;
  /** @default - context `sources` or `sourcesParameter` with `sourceSecrets`, else the sandbox */
  readonly sources?: SourceContext;
  /**
   * False leaves the functions' code unbundled: templates only, in a second or two.
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
    context: cdkSettings.context,
    postCliContext: props.bundle === false ? { "aws:cdk:bundling-stacks": [] } : {},
  });
  const stage = props.stage ?? contextChoice(app, "stage", stages) ?? "dev";
  const sources = sourcesOf(props.sources ?? sourceContext(app), sandboxSources);
  const config = { ...configs[stage], sources };
  const responseMode =
    props.responseMode ?? contextChoice(app, "responseMode", responseModes) ?? config.responseMode;

  const data = new DataStack(app, stackName(stage, "data"), { config });
  new ServiceStack(app, stackName(stage, "service"), {
    data,
    stage,
    config: { ...config, responseMode },
  });
  return app;
}

/** Name of a stack in CloudFormation and in the cloud assembly. */
export function stackName(stage: Stage, part: "data" | "service"): string {
  return `RetailProductData-${stage}-${part}`;
}

const sourceContext = (app: App): SourceContext => ({
  sources: app.node.tryGetContext("sources"),
  sourcesParameter: app.node.tryGetContext("sourcesParameter"),
  sourceSecrets: app.node.tryGetContext("sourceSecrets"),
});

function contextChoice<Choice extends string>(
  app: App,
  key: string,
  choices: readonly Choice[],
): Choice | undefined {
  const given: unknown = app.node.tryGetContext(key);
  if (given === undefined) return undefined;
  const choice = choices.find((candidate) => candidate === given);
  if (choice === undefined) {
    throw new Error(`Context '${key}' must be one of: ${choices.join(", ")}.`);
  }
  return choice;
}
