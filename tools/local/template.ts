import * as v from "valibot";
import { localNameOf } from "./local-names.ts";
import type { LocalName } from "./local-names.ts";

const anyProperties = v.record(v.string(), v.unknown());

/** Schema of a CloudFormation template whose intrinsic functions are not resolved yet. */
export const templateSchema = v.object({
  Resources: v.record(
    v.string(),
    v.object({ Type: v.string(), Properties: v.optional(anyProperties, {}) }),
  ),
  Outputs: v.optional(v.record(v.string(), v.object({ Value: v.unknown() })), {}),
  Parameters: v.optional(v.record(v.string(), v.object({ Default: v.optional(v.unknown()) })), {}),
});
type Template = v.InferOutput<typeof templateSchema>;

/** A CloudFormation stack with its template. */
export interface Stack {
  readonly name: string;
  readonly template: Template;
}

/** A resource whose intrinsic functions are replaced by their local values. */
export interface ResolvedResource<Properties = Readonly<Record<string, unknown>>> {
  readonly stack: string;
  readonly logicalId: string;
  readonly local: LocalName;
  readonly properties: Properties;
}

/** The CloudFormation templates after resolution of their intrinsic functions. */
export interface ResolvedTemplates {
  /** Returns all resources of a CloudFormation type; an empty list if there are none. */
  ofType(type: string): readonly ResolvedResource[];
  /**
   * Returns all resources of a CloudFormation type, with properties parsed by a schema.
   * @throws Error if the properties do not match the schema
   */
  ofType<Schema extends v.GenericSchema>(
    type: string,
    schema: Schema,
  ): readonly ResolvedResource<v.InferOutput<Schema>>[];
}

/**
 * The account and region of all local resources. The queue emulator works only with this account.
 */
export const localAccount = { id: "000000000000", region: "us-east-1" } as const;

interface Scope {
  readonly stack: Stack;
  readonly stacks: readonly Stack[];
  readonly queueUrlBase: string;
}

/**
 * Replaces the intrinsic functions of CloudFormation templates by local ARNs, names and URLs.
 * Resolves a resource only when it is requested. The request throws an Error if the resource uses
 * an unsupported function or refers to an unknown resource.
 * @param queueUrlBase part of a queue's URL before its name, without the slash
 */
export function resolveTemplates(
  stacks: readonly Stack[],
  queueUrlBase: string,
): ResolvedTemplates {
  function ofType(type: string): readonly ResolvedResource[];
  function ofType<Schema extends v.GenericSchema>(
    type: string,
    schema: Schema,
  ): readonly ResolvedResource<v.InferOutput<Schema>>[];
  function ofType(
    type: string,
    schema: v.GenericSchema = anyProperties,
  ): readonly ResolvedResource<unknown>[] {
    return stacks.flatMap((stack) => {
      const scope = { stack, stacks, queueUrlBase };
      return Object.entries(stack.template.Resources)
        .filter(([, resource]) => resource.Type === type)
        .map(([logicalId, resource]) => ({
          stack: stack.name,
          logicalId,
          local: nameOf(scope, logicalId),
          properties: parseProperties(schema, logicalId, resolve(scope, resource.Properties)),
        }));
    });
  }
  return { ofType };
}

function parseProperties(schema: v.GenericSchema, logicalId: string, resolved: unknown): unknown {
  const parsed = v.safeParse(schema, resolved);
  if (parsed.success) return parsed.output;
  throw new Error(
    `The template resource ${logicalId} has properties that the local world does not support. Remove them, or add them to tools/local:\n${v.summarize(parsed.issues)}`,
  );
}

function nameOf(scope: Scope, logicalId: string): LocalName {
  const resource = scope.stack.template.Resources[logicalId];
  if (!resource) throw new Error(missing(scope, `resource ${logicalId}`));
  const properties = resolveNames(scope, resource.Properties);
  return localNameOf({
    stack: scope.stack.name,
    logicalId,
    type: resource.Type,
    properties,
    queueUrlBase: scope.queueUrlBase,
  });
}

/**
 * Resolves only properties whose names end in `Name`. Two resources may reference each other, and
 * resolving all of their properties would then never end.
 */
function resolveNames(
  scope: Scope,
  properties: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const naming = Object.entries(properties).filter(([key]) => key.endsWith("Name"));
  return Object.fromEntries(naming.map(([key, value]) => [key, resolve(scope, value)]));
}

function resolve(scope: Scope, value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((entry) => resolve(scope, entry)).filter((entry) => entry !== undefined);
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const only = entries.length === 1 ? entries[0] : undefined;
  if (only && (only[0] === "Ref" || only[0].startsWith("Fn::"))) {
    return resolveIntrinsic(scope, only[0], only[1]);
  }
  return Object.fromEntries(
    entries
      .map(([key, entry]) => [key, resolve(scope, entry)] as const)
      .filter(([, entry]) => entry !== undefined),
  );
}

const pair = v.tuple([v.union([v.string(), v.number()]), v.unknown()]);
const list = v.array(v.unknown());
const stackOutput = v.object({ StackName: v.string(), OutputName: v.string() });
const substitution = v.tuple([v.string(), v.record(v.string(), v.unknown())]);

function resolveIntrinsic(scope: Scope, name: string, argument: unknown): unknown {
  switch (name) {
    case "Ref":
      return resolveReference(scope, String(argument));
    case "Fn::GetAtt":
      return resolveAttribute(scope, argument);
    case "Fn::Join": {
      const [separator, parts] = v.parse(pair, argument);
      return v.parse(list, resolve(scope, parts)).join(String(separator));
    }
    case "Fn::Select": {
      const [index, values] = v.parse(pair, argument);
      return v.parse(list, resolve(scope, values))[Number(index)];
    }
    case "Fn::Split": {
      const [separator, text] = v.parse(pair, argument);
      return String(resolve(scope, text)).split(String(separator));
    }
    case "Fn::Sub":
      return resolveSubstitution(scope, argument);
    case "Fn::GetStackOutput":
      return resolveStackOutput(scope, v.parse(stackOutput, argument));
    default:
      throw new Error(
        `${scope.stack.name}: the local world does not support the template function ${name}. Use another function, or add it to tools/local/template.ts.`,
      );
  }
}

const pseudoParameters: Readonly<Record<string, (stack: Stack) => string | undefined>> = {
  "AWS::AccountId": () => localAccount.id,
  "AWS::Region": () => localAccount.region,
  "AWS::Partition": () => "aws",
  "AWS::URLSuffix": () => "amazonaws.com",
  "AWS::StackName": (stack) => stack.name,
  "AWS::StackId": (stack) =>
    `arn:aws:cloudformation:${localAccount.region}:${localAccount.id}:stack/${stack.name}/local`,
  "AWS::NoValue": () => undefined,
};

function resolveReference(scope: Scope, name: string): unknown {
  const pseudo = pseudoParameters[name];
  if (pseudo) return pseudo(scope.stack);
  const parameter = scope.stack.template.Parameters[name];
  if (parameter) {
    if (parameter.Default !== undefined) return parameter.Default;
    throw new Error(
      `${scope.stack.name}: the template parameter ${name} has no default, and the local world passes no parameters. Give it a default.`,
    );
  }
  return nameOf(scope, name).ref;
}

function resolveAttribute(scope: Scope, argument: unknown): string {
  const [logicalId, ...path] = Array.isArray(argument)
    ? argument.map(String)
    : String(argument).split(".");
  const attribute = path.join(".");
  const name = nameOf(scope, logicalId ?? "");
  const value = name.attributes[attribute];
  if (value === undefined) throw new Error(missing(scope, `attribute ${logicalId}.${attribute}`));
  return value;
}

function resolveSubstitution(scope: Scope, argument: unknown): string {
  const given = Array.isArray(argument) ? argument : [argument, {}];
  const [text, variables] = v.parse(substitution, given);
  return text.replaceAll(/\$\{([^}]+)\}/g, (_all, name: string) => {
    if (name.startsWith("!")) return `\${${name.slice(1)}}`;
    if (name in variables) return String(resolve(scope, variables[name]));
    if (pseudoParameters[name] || !name.includes(".")) return String(resolveReference(scope, name));
    return resolveAttribute(scope, name);
  });
}

function resolveStackOutput(
  scope: Scope,
  { StackName, OutputName }: v.InferOutput<typeof stackOutput>,
): unknown {
  const stack = scope.stacks.find(({ name }) => name === StackName);
  const output = stack?.template.Outputs[OutputName];
  if (!stack || !output) throw new Error(missing(scope, `output ${StackName}.${OutputName}`));
  return resolve({ ...scope, stack }, output.Value);
}

function missing(scope: Scope, what: string): string {
  return `${scope.stack.name}: ${what} does not exist in the synthesized templates. Correct the reference to it in lib.`;
}
