import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Resolver } from "./resolver.ts";

export interface HostResolverOptions {
  /** The function that looks up a name. @default the system's DNS lookup */
  readonly lookup?: LookupFunction;
  /**
   * Time limit of a lookup in milliseconds. A name that takes longer counts as unknown.
   * @default 5,000
   */
  readonly limitMs?: number;
}

const limitMsMax = 5_000;

/**
 * Creates a resolver of host names that uses the system's DNS lookup, as connections do. The
 * resolver returns no addresses if the lookup fails or takes longer than `limitMs` milliseconds.
 */
export function hostResolver({
  lookup = systemLookup,
  limitMs = limitMsMax,
}: HostResolverOptions = {}): Resolver {
  return {
    resolve: (hostname) =>
      new Promise((resolve) => {
        const limit = setTimeout(() => resolve([]), limitMs);
        lookup(hostname, { all: true }, (error, foundAddresses) => {
          clearTimeout(limit);
          const addresses = error === null && Array.isArray(foundAddresses) ? foundAddresses : [];
          resolve(addresses.map(({ address }) => address));
        });
      }),
  };
}
