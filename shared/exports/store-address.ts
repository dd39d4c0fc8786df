import { invalidParam } from "../base/errors.ts";
import { formatValue } from "../base/shown-value.ts";
import type { AddressPolicy } from "../outgoing/address-policy.ts";
import { requirePublicUrl } from "../outgoing/public-url.ts";
import type { Resolver } from "../outgoing/resolver.ts";
import type { OwnAddresses } from "../outgoing/url.ts";

export interface StoreAddressDependencies {
  readonly resolver: Resolver;
  readonly policy: AddressPolicy;
}

/**
 * Checks and normalizes the address of an S3-compatible store. Null, which means AWS, stays null.
 * @param own the addresses of this service, which are refused
 * @throws 400 with `param` = `endpoint` if the address has a path or a query, or its host is not
 * public
 */
export async function storeAddress(
  { endpoint, own }: { readonly endpoint: string | null; readonly own: OwnAddresses },
  { policy, resolver }: StoreAddressDependencies,
): Promise<string | null> {
  if (endpoint === null) return null;
  const param = { param: "endpoint", value: endpoint };
  const href = await requirePublicUrl(param, { policy, own }, resolver);
  const { pathname, search } = new URL(href);
  if (pathname !== "/" || search !== "") {
    throw invalidParam(
      "endpoint",
      `'endpoint' must not have a path or a query (got ${formatValue(pathname + search)}). Remove them.`,
    );
  }
  return href;
}
