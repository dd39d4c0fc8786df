import * as v from "valibot";
import { originRefused } from "../../shared/base/errors.ts";
import { type Reply, route } from "../http/route.ts";
import type { McpDependencies } from "./dependencies.ts";
import { isOwnOrigin } from "./origin.ts";
import { answerMessage } from "./server.ts";

/** The members of a JSON-RPC message. The library of the protocol checks their values. */
const messageBody = v.object({
  jsonrpc: v.optional(v.unknown()),
  id: v.optional(v.unknown()),
  method: v.optional(v.unknown()),
  params: v.optional(v.unknown()),
  result: v.optional(v.unknown()),
  error: v.optional(v.unknown()),
});

/**
 * The response to GET and DELETE, with which clients would open a stream or end a session. The
 * protocol requires the status 405.
 */
export const noSessions: Reply = {
  status: 405,
  headers: { Allow: "POST" },
  body: {
    jsonrpc: "2.0",
    id: null,
    error: {
      code: -32_000,
      message:
        "This server has no sessions, so it supports only POST. Send each message with POST.",
    },
  },
};

/** The headers of a call that the protocol defines. */
const protocolHeaders = [
  "accept",
  "content-type",
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
] as const;

/**
 * `POST /mcp`. Processes one JSON-RPC message of the Model Context Protocol.
 * @throws 403 if the header `Origin` shows that a page of another site made the call
 */
export const messageRoute = route<McpDependencies, typeof messageBody>({
  body: messageBody,
  async handle({ body, ...call }, dependencies) {
    const [origin] = call.headers("origin");
    const { host } = new URL(call.baseUrl);
    const { domainName } = dependencies;
    if (!isOwnOrigin({ origin, host, domainName, apiId: call.own.apiId })) throw originRefused();
    const headers = protocolHeaders.flatMap((name) =>
      call
        .headers(name)
        .slice(0, 1)
        .map((value): [string, string] => [name, value]),
    );
    const request = new Request("https://localhost/mcp", { method: "POST", headers });
    const response = await answerMessage(request, body, { call, dependencies });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
  },
});
