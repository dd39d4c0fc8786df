import { randomUUID } from "node:crypto";
import type { Writable } from "node:stream";
import type { Context } from "aws-lambda";
import * as v from "valibot";
import type { Overrides } from "../../functions/composition/overrides.ts";
import type { Log } from "./log.ts";
import { provideStreaming } from "./response-stream.ts";
import type { ResolvedResource, ResolvedTemplates } from "./template.ts";

/** The environment variables of a function, by name. */
export type Environment = Readonly<Record<string, string>>;
type Handler = (event: unknown, ...rest: readonly unknown[]) => unknown;

/** The exports of `functions/<name>/handler.ts`. */
const handlerModule = v.object({
  createHandler: v.custom<(environment: Environment, overrides: Overrides) => unknown>(isFunction),
});
const handlerSchema = v.custom<Handler>(isFunction);

/** Loads the module of a function, which must export `createHandler`. */
export type LoadHandler = (name: string) => Promise<unknown>;

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

/** A Lambda function that runs in this process. */
export interface LocalFunction {
  readonly name: string;
  readonly arn: string;
  readonly environment: Environment;
  readonly timeoutSeconds: number;
  /**
   * Runs the function once and returns its result. Rejects if the function throws or exceeds its
   * timeout.
   */
  invoke(event: unknown): Promise<unknown>;
  /** Runs the function once, with `stream` for its response. Rejects like `invoke`. */
  invokeStreaming(event: unknown, stream: Writable): Promise<void>;
}

/** The Lambda functions of the templates, loaded into this process. */
export interface LambdaHost {
  readonly functions: readonly LocalFunction[];
  /**
   * Returns the function with a name or an ARN. The ARN may name an alias: all aliases have the
   * same code.
   * @throws Error if no template creates the function
   */
  byReference(nameOrArn: string): LocalFunction;
  /**
   * Returns the function with a name of the code base, such as `products`.
   * @throws Error if no template creates the function
   */
  byName(name: string): LocalFunction;
}

/** The environment variable that contains a function's name in the code base. */
const nameVariable = "POWERTOOLS_SERVICE_NAME";
const timeoutSecondsDefault = 3;
/** The number of parts of a function's ARN, without the alias. */
const arnParts = 7;
const overrides: Overrides = {
  allowLoopback: true,
  forcePathStyle: true,
  secretVariables: process.env,
};

const loadFromRepository: LoadHandler = async (name) =>
  import(new URL(`../../functions/${name}/handler.ts`, import.meta.url).href);

const functionProperties = v.object({
  Timeout: v.optional(v.number(), timeoutSecondsDefault),
  Environment: v.optional(
    v.object({ Variables: v.optional(v.record(v.string(), v.string()), {}) }),
    {},
  ),
});
type FunctionResource = ResolvedResource<v.InferOutput<typeof functionProperties>>;

/**
 * Creates a function that returns the environment variables of a Lambda function, by the function's
 * name in the code base; an empty object for an unknown name.
 */
export function functionVariables(templates: ResolvedTemplates): (name: string) => Environment {
  const all = templates
    .ofType("AWS::Lambda::Function", functionProperties)
    .map((resource) => environmentOf(resource));
  return (name) => all.find((variables) => variables[nameVariable] === name) ?? {};
}

type ReplaceVariable = (name: string, value: string) => string;

interface HostOptions {
  readonly templates: ResolvedTemplates;
  readonly log: Log;
  readonly loadHandler?: LoadHandler | undefined;
  /**
   * Returns the new value of an environment variable of a function. Called for each variable that
   * the function's template has, so this function cannot add a variable.
   */
  readonly replaceVariable?: ReplaceVariable | undefined;
}

/**
 * Loads the Lambda functions of the templates into this process, and defines the global
 * `awslambda`. A function gets only the environment variables in its template. If a function cannot
 * be loaded, each of its invocations fails with an error.
 */
export async function startLambdaHost(options: HostOptions): Promise<LambdaHost> {
  provideStreaming();
  const resources = options.templates.ofType("AWS::Lambda::Function", functionProperties);
  const loaded = await Promise.all(
    resources.flatMap((resource) => {
      const environment = environmentOf(resource, options.replaceVariable);
      const name = environment[nameVariable];
      return name === undefined ? [] : [load({ resource, environment, name }, options)];
    }),
  );
  const find = (what: string, matches: (candidate: LocalFunction) => boolean): LocalFunction => {
    const foundFunction = loaded.find(matches);
    if (!foundFunction)
      throw new Error(`No template creates the function ${what}. Check the name or ARN.`);
    return foundFunction;
  };
  return {
    functions: loaded,
    byReference(nameOrArn) {
      const parts = nameOrArn.split(":");
      const unqualified = parts.slice(0, parts[0] === "arn" ? arnParts : 1).join(":");
      return find(
        nameOrArn,
        ({ arn }) => arn === unqualified || arn.endsWith(`:function:${unqualified}`),
      );
    },
    byName: (name) => find(name, (candidate) => candidate.name === name),
  };
}

function environmentOf(
  resource: FunctionResource,
  replace: ReplaceVariable = (_name, value) => value,
): Environment {
  const own = Object.entries(resource.properties.Environment.Variables);
  return Object.fromEntries(own.map(([name, value]) => [name, replace(name, value)]));
}

interface Loading {
  readonly resource: FunctionResource;
  readonly environment: Environment;
  readonly name: string;
}

async function load(loading: Loading, options: HostOptions): Promise<LocalFunction> {
  const { resource, environment, name } = loading;
  const timeoutSeconds = resource.properties.Timeout;
  const handler = await createHandler(name, environment, options);
  const run = async (event: unknown, ...stream: Writable[]): Promise<unknown> =>
    withTimeout(name, timeoutSeconds, async (context) => handler(event, ...stream, context));
  return {
    name,
    arn: resource.local.attributes["Arn"] ?? "",
    environment,
    timeoutSeconds,
    invoke: run,
    async invokeStreaming(event, stream) {
      await run(event, stream);
    },
  };
}

/**
 * Creates a handler. If this fails, returns a handler that fails each call, as on AWS, so that
 * other functions are not affected.
 */
async function createHandler(
  name: string,
  environment: Environment,
  options: HostOptions,
): Promise<Handler> {
  try {
    const module = await (options.loadHandler ?? loadFromRepository)(name);
    const { createHandler: create } = v.parse(handlerModule, module);
    return v.parse(handlerSchema, create(environment, overrides));
  } catch (error) {
    options.log(`function ${name} cannot start: ${describeError(error)}`);
    return () => {
      throw new Error(
        `The function ${name} could not start. The log of the local world contains the cause.`,
        { cause: error },
      );
    };
  }
}

async function withTimeout(
  name: string,
  timeoutSeconds: number,
  work: (context: Context) => unknown,
): Promise<unknown> {
  const deadline = Date.now() + timeoutSeconds * 1000;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(
        new Error(
          `The function ${name} exceeded its timeout of ${timeoutSeconds} s. Check what it waits for.`,
        ),
      );
    }, timeoutSeconds * 1000);
  });
  try {
    return await Promise.race([(async () => work(contextOf(name, deadline)))(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function contextOf(name: string, deadline: number): Context {
  return {
    awsRequestId: randomUUID(),
    functionName: name,
    functionVersion: "$LATEST",
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
    memoryLimitInMB: "1024",
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: "local",
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
}

/**
 * Returns the message of an error, with the messages of its causes in parentheses. Converts other
 * values to text.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause ? `${error.message} (${describeError(error.cause)})` : error.message;
}
