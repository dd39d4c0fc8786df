import type { AnyRoute } from "../http/route.ts";
import type { RouteKey } from "../routes.ts";
import type { McpDependencies } from "./dependencies.ts";

/** An object of JSON, such as the arguments or the result of a tool. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** An argument that is a path parameter of the route. */
export interface PathArgument {
  /** The name of the parameter in the path. */
  readonly param: string;
  readonly description: string;
}

/** An argument that an agent must send, because it limits what a call may cost. */
export interface Cap {
  readonly name: string;
  /** The JSON Schema of the argument. */
  readonly schema: JsonObject;
  /** True if the route has the parameter too, and applies it. */
  readonly isOfRoute: boolean;
  /** Throws 400 if the argument is absent or invalid, or if the call would exceed it. */
  readonly check: (sent: JsonObject, now: Date) => void;
}

/**
 * A tool that agents call. Each call of a tool is a call of a route, with the same checks, charges
 * and results.
 */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For the model: what the tool does, what it costs, and when to use it. */
  readonly description: string;
  readonly key: RouteKey;
  readonly route: AnyRoute<McpDependencies>;
  /** The arguments that are path parameters of the route, by name. */
  readonly path?: Readonly<Record<string, PathArgument>>;
  /** Arguments that the tool requires although they are optional in the route. */
  readonly required?: readonly string[];
  /** The body of every call. If it is set, the tool has no arguments for fields of the body. */
  readonly body?: JsonObject;
  readonly cap?: Cap;
  /**
   * True if the schema of the arguments contains the complete schema of `pipeline`. That schema is
   * long, so only one tool sets this.
   */
  readonly showsPipeline?: boolean;
  /** Returns one or two sentences about a result. */
  readonly summary: (result: JsonObject) => string;
}
