import { invalidParam, missingParam } from "../../shared/base/errors.ts";
import { quantity } from "../../shared/base/quantity.ts";
import { didYouMean } from "../../shared/base/nearest.ts";
import { formatValue } from "../../shared/base/shown-value.ts";
import { addWorkKeys, recordMetrics } from "../../shared/observability/work-log.ts";
import { callerRefusal } from "../http/access.ts";
import { checkCall } from "../http/answer.ts";
import type { SentParts } from "../http/call-parts.ts";
import { errorBody, serviceErrorOf } from "../http/error-response.ts";
import { unforeseenErrors } from "../http/request-log.ts";
import type { Call } from "../http/route.ts";
import type { McpDependencies } from "./dependencies.ts";
import { inputSchema } from "./input-schema.ts";
import type { JsonObject, Tool } from "./tool.ts";
import { tools } from "./tools.ts";

/** The name of the tool that makes a call of the HTTP API, by the route of the call. */
const toolNames: ReadonlyMap<string, string> = new Map(tools.map(({ key, name }) => [key, name]));

/** A call of `/mcp`, in which an agent calls a tool. */
export interface McpCall {
  readonly call: Omit<Call<unknown, unknown>, "body" | "query">;
  readonly dependencies: McpDependencies;
}

/** The result of a tool call, as MCP defines it. */
export interface ToolResult {
  readonly [key: string]: unknown;
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: true;
}

/**
 * Calls a tool: executes the route of the tool with the arguments that were received, and returns
 * the result. An error of the service becomes a tool error, with the code and the message of the
 * HTTP API. Never throws.
 */
export async function callTool(
  tool: Tool,
  received: JsonObject,
  { call, dependencies }: McpCall,
): Promise<ToolResult> {
  const { key, route } = tool;
  // Models send null for an argument that they leave out.
  const sent = Object.fromEntries(Object.entries(received).filter(([, value]) => value !== null));
  addWorkKeys({ tool: tool.name });
  try {
    // The scopes are checked before the arguments, so that an agent does not correct the arguments
    // of a tool that its key may not call.
    const refusal = callerRefusal(key, call.caller);
    if (refusal !== undefined) throw refusal;
    checkNames(tool, sent);
    tool.cap?.check(sent, call.now);
    const checked = checkCall({
      key,
      route,
      sent: partsOf(tool, sent),
      call: { ...call, path: pathOf(tool, sent), headers: () => [] },
    });
    const { body, metrics = [] } = await route.handle(checked, dependencies);
    recordMetrics(metrics);
    const result: Record<string, unknown> = JSON.parse(
      typeof body === "string" ? body : JSON.stringify(body),
    );
    return { content: contentOf(tool.summary(result), result), structuredContent: result };
  } catch (thrown) {
    return toolError(thrown, { call, dependencies });
  }
}

/** Maximum length, in characters, of a result that is repeated as text. */
const textLengthMax = 200_000;

/**
 * Returns the texts of a result: its summary, and the result as JSON for clients that read only
 * text. The protocol requires both. A note replaces JSON of more than 200,000 characters.
 */
function contentOf(summary: string, result: JsonObject): ToolResult["content"] {
  const json = JSON.stringify(result);
  const rest =
    json.length <= textLengthMax
      ? json
      : "The result is too long for a text: read it from structuredContent.";
  return [
    { type: "text", text: summary },
    { type: "text", text: rest },
  ];
}

/**
 * Converts an error to a tool error. Writes the metric and the log line that the same error of an
 * HTTP call would get. The middleware does not write them, because the call of `/mcp` returns 200.
 */
function toolError(thrown: unknown, { call, dependencies }: McpCall): ToolResult {
  const error = serviceErrorOf(thrown);
  const { code, status, details } = error;
  const message = withToolNames(error.message);
  recordMetrics(unforeseenErrors(status));
  if (status >= 500 && status !== 501 && thrown instanceof Error) {
    dependencies.logger.error("tool call failed", thrown);
  }
  const { retryAfterSeconds } = details;
  const body = errorBody(error);
  const retry =
    retryAfterSeconds === undefined
      ? ""
      : ` Call again in ${quantity(retryAfterSeconds, "second")}.`;
  return {
    isError: true,
    content: [{ type: "text", text: `${code}: ${message}${retry}` }],
    structuredContent: {
      ...body,
      error: {
        ...body.error,
        message,
        status,
        ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds }),
        request_id: call.requestId,
      },
    },
  };
}

/** Replaces each HTTP API call in a message with the name of the tool that makes this call. */
const withToolNames = (message: string): string =>
  message.replaceAll(/\b(?:GET|POST|PATCH) \/v1\/[\w/{}]+/g, (call) => toolNames.get(call) ?? call);

/**
 * Checks that a call has all arguments that the tool requires, and no others. Does not check the
 * cap, because the `check` of the cap has a better message.
 * @throws 400 that names the first wrong or missing argument
 */
function checkNames(tool: Tool, sent: JsonObject): void {
  const { properties, required } = inputSchema(tool);
  const accepted = Object.keys(properties);
  const unknown = Object.keys(sent).find((name) => !accepted.includes(name));
  if (unknown !== undefined) {
    throw invalidParam(
      unknown.slice(0, 64),
      `Unknown argument ${formatValue(unknown)}.${didYouMean(unknown, accepted)} ${tool.name} accepts ` +
        `${accepted.length === 0 ? "no arguments" : `only: ${accepted.join(", ")}`}.`,
    );
  }
  const missing = required.find((name) => sent[name] === undefined && name !== tool.cap?.name);
  if (missing !== undefined) throw missingParam(missing);
}

/** Returns the path parameters of the tool's route. */
const pathOf = ({ path = {} }: Tool, sent: JsonObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(path).map(([name, { param }]) => [param, textOf(name, sent[name])]),
  );

/**
 * Returns the arguments that are not in the path. They are the query of a GET route, and the body
 * of any other route.
 */
function partsOf({ key, path = {}, cap, body }: Tool, sent: JsonObject): SentParts {
  const isOfRoute = (name: string): boolean =>
    !(name in path) && (name !== cap?.name || cap.isOfRoute);
  const rest = Object.entries(sent).filter(([name]) => isOfRoute(name));
  if (!key.startsWith("GET ")) {
    return { body: { ...Object.fromEntries(rest), ...body }, query: {}, queryCounts: new Map() };
  }
  const query = Object.fromEntries(rest.map(([name, value]) => [name, textOf(name, value)]));
  return {
    body: undefined,
    query,
    queryCounts: new Map(Object.keys(query).map((name) => [name, 1])),
  };
}

/**
 * Returns an argument as a parameter of a path or a query.
 * @throws 400 for a value that is not a string, a number or a boolean
 */
function textOf(name: string, value: unknown): string {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return String(value);
  }
  throw invalidParam(
    name,
    `'${name}' must be a string, a number or a boolean (got ${formatValue(value)}).`,
  );
}
