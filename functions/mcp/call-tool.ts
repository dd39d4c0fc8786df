import type { APIGatewayProxyEvent } from "aws-lambda";
import { invalidParam, missingParam } from "../../shared/base/errors.ts";
import { didYouMean } from "../../shared/base/nearest.ts";
import { shownValue } from "../../shared/base/shown-value.ts";
import { refuseCaller } from "../http/access.ts";
import { answer } from "../http/answer.ts";
import type { CallState } from "../http/call-state.ts";
import { serviceErrorOf } from "../http/error-response.ts";
import { headerOf } from "../http/header.ts";
import type { Caller } from "../http/route.ts";
import type { McpDependencies } from "./dependencies.ts";
import { inputSchema } from "./input-schema.ts";
import type { JsonObject, Tool } from "./tool.ts";

/** A call of `/mcp`, in which an agent calls a tool. */
export interface McpCall {
  readonly event: APIGatewayProxyEvent;
  readonly state: CallState;
  readonly caller: Caller;
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
 * Calls a tool: makes the call of its route, and converts the response. An error of the service
 * becomes a tool error with the code and the message that the HTTP API returns. Never throws.
 */
export async function callTool(tool: Tool, sent: JsonObject, call: McpCall): Promise<ToolResult> {
  const { state, caller, dependencies } = call;
  const { key, route } = tool;
  try {
    refuseCaller(key, caller);
    checkNames(tool, sent);
    tool.check?.(sent, state.startedAt);
    const event = routeEvent(tool, sent, call.event);
    const { body } = await answer({ key, route, event, state }, { dependencies });
    const result: Record<string, unknown> = { ...JSON.parse(body) };
    return { content: [{ type: "text", text: tool.summary(result) }], structuredContent: result };
  } catch (thrown) {
    return toolError(thrown, call);
  }
}

function toolError(thrown: unknown, { state, dependencies }: McpCall): ToolResult {
  const error = serviceErrorOf(thrown);
  const { code, message, status, details } = error;
  if (status >= 500 && status !== 501 && thrown instanceof Error) {
    dependencies.logger.error("tool call failed", thrown);
  }
  const { param, retryAfterSeconds } = details;
  return {
    isError: true,
    content: [{ type: "text", text: `${code}: ${message}` }],
    structuredContent: {
      error: {
        code,
        message,
        status,
        ...(param === undefined ? {} : { param }),
        ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds }),
        request_id: state.requestId,
        docs: `/docs/errors#${code}`,
      },
    },
  };
}

/**
 * Checks that the tool has all arguments that it requires, and no others.
 * @throws 400 that names the first wrong or missing argument
 */
function checkNames(tool: Tool, sent: JsonObject): void {
  const { properties, required } = inputSchema(tool);
  const accepted = Object.keys(properties);
  const unknown = Object.keys(sent).find((name) => !accepted.includes(name));
  if (unknown !== undefined) {
    throw invalidParam(
      unknown.slice(0, 64),
      `Unknown argument ${shownValue(unknown)}.${didYouMean(unknown, accepted)} ${tool.name} accepts: ` +
        `${accepted.join(", ") || "no arguments"}.`,
    );
  }
  // `check` has a better message for a missing cap.
  const missing = required.find(
    (name) => sent[name] === undefined && !(tool.required ?? []).includes(name),
  );
  if (missing !== undefined) throw missingParam(missing);
}

/** Returns the event that API Gateway would send for the call of the tool's route. */
function routeEvent(
  tool: Tool,
  sent: JsonObject,
  event: APIGatewayProxyEvent,
): APIGatewayProxyEvent {
  const { key, path: inPath = {}, own = {} } = tool;
  const [method = "", template = ""] = key.split(" ");
  const pathParameters = Object.fromEntries(
    Object.entries(inPath).map(([name, { param }]) => [
      param,
      encodeURIComponent(textOf(name, sent[name])),
    ]),
  );
  const path = template.replaceAll(
    /\{(\w+)\}/g,
    (_all, param: string) => pathParameters[param] ?? "",
  );
  const rest = Object.entries(sent).filter(([name]) => !(name in inPath) && !(name in own));
  const isGet = method === "GET";
  const { requestContext } = event;
  // The path that the client sent has the prefix of the stage.
  const prefix = requestContext.path.endsWith(event.path)
    ? requestContext.path.slice(0, -event.path.length)
    : "";
  return {
    ...event,
    httpMethod: method,
    path,
    requestContext: { ...requestContext, path: `${prefix}${path}` },
    pathParameters,
    queryStringParameters: isGet
      ? Object.fromEntries(rest.map(([name, value]) => [name, textOf(name, value)]))
      : null,
    multiValueQueryStringParameters: null,
    headers: {
      host: headerOf(event, "host"),
      "x-forwarded-proto": headerOf(event, "x-forwarded-proto"),
      "content-type": "application/json",
    },
    multiValueHeaders: {},
    body: isGet ? null : JSON.stringify({ ...Object.fromEntries(rest), ...tool.body }),
    isBase64Encoded: false,
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
  throw invalidParam(name, `'${name}' must be a string or a number (got ${shownValue(value)}).`);
}
