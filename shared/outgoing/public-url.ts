import { invalidParam } from "../base/errors.ts";
import type { Resolver } from "./resolver.ts";
import { parsePublicUrl, type UrlRules } from "./url.ts";

/** A URL of a customer, and the parameter in which the customer sent it. */
export interface CheckedParam {
  /** Name of the request parameter, for the error. */
  readonly param: string;
  readonly value: string;
}

/**
 * Validates a customer's URL, resolves its host, and returns the normalized URL: without a fragment
 * and without a trailing dot of the host.
 * @param rules the address policy, and the addresses of this service, which are refused
 * @throws 400 INVALID_PARAM if the rules refuse the URL or any address of its host, or if the host
 * has no address
 */
export async function requirePublicUrl(
  { param, value }: CheckedParam,
  rules: UrlRules,
  resolver: Resolver,
): Promise<string> {
  const parsed = parsePublicUrl(value, rules);
  if (parsed.outcome === "refused") {
    throw invalidParam(param, `'${param}' ${parsed.reason}. ${expectation}`);
  }
  const addresses = await resolver.resolve(parsed.hostname);
  if (addresses.length === 0) {
    throw invalidParam(
      param,
      `The host of '${param}' cannot be resolved (got "${parsed.hostname}"). ${expectation}`,
    );
  }
  if (!addresses.every((address) => rules.policy.allows(address))) {
    throw invalidParam(
      param,
      `The host of '${param}' resolves to an address that is not public (got "${parsed.hostname}"). ` +
        "Use a host whose addresses are all public.",
    );
  }
  return parsed.href;
}

const expectation = "Expected: an https:// address on a public host, port 443 or 1024 to 65535.";
