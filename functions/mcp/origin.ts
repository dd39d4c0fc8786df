import type { APIGatewayProxyEvent } from "aws-lambda";
import { headerOf } from "../http/header.ts";

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;

/**
 * Returns true if a call does not come from a page of another site. MCP requires this check, because
 * a page could otherwise call a server on the user's machine by a name that it controls. A client
 * that is not a page sends no `Origin`.
 * @param domainName the custom domain of the API; undefined if there is none
 */
export function isOwnOrigin(event: APIGatewayProxyEvent, domainName: string | undefined): boolean {
  const origin = headerOf(event, "origin");
  if (origin === undefined) return true;
  const host = (headerOf(event, "host") ?? "").toLowerCase();
  const { apiId } = event.requestContext;
  const isOwnHost =
    host === domainName || loopback.test(host) || host.startsWith(`${apiId}.execute-api.`);
  return isOwnHost && URL.canParse(origin) && new URL(origin).host === host;
}
