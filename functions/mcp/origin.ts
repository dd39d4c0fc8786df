import type { Call } from "../http/route.ts";

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;

interface Addressed {
  /** The value of the header `Origin`; undefined if the client sent none. */
  readonly origin: string | undefined;
  /** The host that the client called, with its port. */
  readonly host: string;
  /** The custom domain of the API; undefined if there is none. */
  readonly domainName: string | undefined;
  readonly apiId: Call<never, never>["own"]["apiId"];
}

/**
 * Returns true if the call was not made by a page of another site. MCP requires this check: a page
 * could otherwise call a server on the user's machine through a host name that the page controls. A
 * client that is not a page sends no `Origin`.
 */
export function isOwnOrigin({ origin, host, domainName, apiId }: Addressed): boolean {
  if (origin === undefined) return true;
  const isOwnHost =
    host === domainName ||
    loopback.test(host) ||
    (apiId !== null && host.startsWith(`${apiId}.execute-api.`));
  return isOwnHost && URL.canParse(origin) && new URL(origin).host === host;
}
