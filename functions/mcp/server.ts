import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool as ListedTool,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { didYouMean } from "../../shared/base/nearest.ts";
import { formatValue } from "../../shared/base/shown-value.ts";
import { version } from "../../shared/base/version.ts";
import { hasEffects, scopesOf } from "../routes.ts";
import { callTool, type McpCall } from "./call-tool.ts";
import { inputSchema } from "./input-schema.ts";
import type { Tool } from "./tool.ts";
import { tools, toolsOf } from "./tools.ts";

const instructions =
  "Product, price, stock and offer data of retailers, and watchlists that read items on a schedule. Reading " +
  "items charges credits: list_platforms shows the prices, and every tool that reads items requires " +
  "max_credits. For what changed, use list_changes and get_item_history, which are free. Estimate a watchlist " +
  "before you create it.";

/** Returns a tool in the form that `tools/list` returns. */
const listed = (tool: Tool): ListedTool => {
  const { name, title, description, key } = tool;
  return {
    name,
    title,
    description,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON Schema contains only values of JSON
    inputSchema: inputSchema(tool) as ListedTool["inputSchema"],
    annotations: {
      title,
      readOnlyHint: !hasEffects(key),
      destructiveHint: scopesOf(key).includes("write"),
      openWorldHint: scopesOf(key).includes("spend"),
    },
  };
};

/** Returns the MCP server of one call. It has no state. */
function serverOf(call: McpCall): Server {
  const server = new Server(
    { name: "retail-product-data", title: "Retail product data service", version },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler("tools/list", () => ({ tools: toolsOf(call.call.caller).map(listed) }));
  server.setRequestHandler("tools/call", ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    const names = tools.map(({ name }) => name);
    if (tool === undefined) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown tool ${formatValue(params.name)}.${didYouMean(params.name, names)} tools/list returns the tools of this key.`,
      );
    }
    return callTool(tool, params.arguments ?? {}, call);
  });
  return server;
}

/**
 * Processes one JSON-RPC message with Streamable HTTP, without a session or a stream, and returns
 * the response. Clients of the 2026 protocol describe themselves in every message. Older clients
 * begin with `initialize`; the function creates a new server for each of their messages.
 * @param message the parsed body
 */
export async function answerMessage(
  request: Request,
  message: unknown,
  call: McpCall,
): Promise<Response> {
  if (await isLegacyRequest(request, message)) {
    // The option `legacy: "stateless"` of `createMcpHandler` is not used, because it responds with
    // a stream and cannot respond with JSON.
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await serverOf(call).connect(transport);
    return transport.handleRequest(request, { parsedBody: message });
  }
  const handler = createMcpHandler(() => serverOf(call), {
    legacy: "reject",
    // A subscription would keep the function running.
    maxSubscriptions: 0,
  });
  return handler.fetch(request, { parsedBody: message });
}
