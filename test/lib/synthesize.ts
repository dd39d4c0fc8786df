import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Template } from "aws-cdk-lib/assertions";
import { buildApp, stackName } from "../../lib/build-app.ts";
import type { Stage } from "../../lib/config.ts";
import type { GivenContext } from "../../lib/context.ts";

export interface Synthesis {
  readonly data: Template;
  readonly service: Template;
}

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

const syntheses = new Map<string, Synthesis>();

/**
 * Returns the templates of both stacks, synthesized in this process without bundling. The sources
 * are the sandbox unless `context` sets them. Later calls with the same arguments return the same
 * templates.
 */
export function synthesize(stage: Stage, context: GivenContext = {}): Synthesis {
  const key = JSON.stringify({ stage, ...context });
  const synthesis = syntheses.get(key) ?? newSynthesis(stage, context);
  syntheses.set(key, synthesis);
  return synthesis;
}

function newSynthesis(stage: Stage, context: GivenContext): Synthesis {
  const outdir = mkdtempSync(join(tmpdir(), "synth-"));
  const app = buildApp({
    bundle: false,
    outdir,
    context: { sources: "sandbox", ...context, stage },
  });
  const assembly = app.synth();
  const templateOf = (part: "data" | "service"): Template =>
    Template.fromJSON(assembly.getStackByName(stackName(stage, part)).template as object);
  const synthesis = { data: templateOf("data"), service: templateOf("service") };
  rmSync(outdir, { recursive: true });
  return synthesis;
}

/** Returns the resources of one type by logical ID; an empty object if there are none. */
export function resourcesOf(template: Template, type: string): Record<string, Resource> {
  return template.findResources(type) as Record<string, Resource>;
}

/**
 * Returns the properties of every resource of one type.
 * @throws Error if the template has none
 */
export function propertiesOf(template: Template, type: string): readonly Resource["Properties"][] {
  const properties = Object.values(resourcesOf(template, type)).map((found) => found.Properties);
  if (properties.length === 0) throw new Error(`The template has no ${type}.`);
  return properties;
}

/** Returns the logical ID of each function by the name of its folder. */
export function functionIds(service: Template): Map<string, string> {
  return new Map(
    Object.entries(resourcesOf(service, "AWS::Lambda::Function")).map(([id, { Properties }]) => [
      variablesOf(Properties)["POWERTOOLS_SERVICE_NAME"] as string,
      id,
    ]),
  );
}

/** Returns the logical ID of the alias of each function, by the name of the function's folder. */
export function aliasIds(service: Template): Map<string, string> {
  const names = new Map([...functionIds(service)].map(([name, id]) => [id, name]));
  return new Map(
    Object.entries(resourcesOf(service, "AWS::Lambda::Alias")).map(([id, { Properties }]) => [
      names.get((Properties["FunctionName"] as { Ref: string }).Ref) ?? "",
      id,
    ]),
  );
}

/** Returns the environment variables of a function, from the properties of its template. */
export function variablesOf(properties: Resource["Properties"]): Record<string, unknown> {
  return (properties["Environment"] as { Variables: Record<string, unknown> }).Variables;
}

/** Returns the name of a function's folder in `functions`, from the properties of its template. */
export function nameOf(properties: Resource["Properties"]): string {
  return String(variablesOf(properties)["POWERTOOLS_SERVICE_NAME"]);
}

export interface Statement {
  readonly Effect: "Allow" | "Deny";
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** Returns the statements of every policy that is attached to a role. */
export function statementsOf(service: Template, roleId: string): readonly Statement[] {
  return Object.values(resourcesOf(service, "AWS::IAM::Policy"))
    .filter(({ Properties }) =>
      (Properties["Roles"] as readonly { Ref: string }[]).some(({ Ref }) => Ref === roleId),
    )
    .flatMap(({ Properties }) => documentOf(Properties["PolicyDocument"]));
}

/** Returns the statements of a policy document. */
export function documentOf(document: unknown): readonly Statement[] {
  return (document as { Statement: readonly Statement[] }).Statement;
}

/** Returns the actions of a statement as a list. */
export function actionsOf({ Action }: Statement): readonly string[] {
  return typeof Action === "string" ? [Action] : Action;
}

/** Returns the logical ID of a function's role, from the properties of its template. */
export function roleIdOf(properties: Resource["Properties"]): string {
  const [roleId = ""] = (properties["Role"] as { "Fn::GetAtt": readonly string[] })["Fn::GetAtt"];
  return roleId;
}
