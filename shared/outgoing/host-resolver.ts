import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Resolver } from "./resolver.ts";

export interface HostResolverOptions {
  /** The system's unless a test gives another. */
  readonly lookup?: LookupFunction;
  /** A name that takes longer counts as unknown. Default: 5 s. */
  readonly limitMs?: number;
}

const limitMsMax = 5_000;

/** Resolves host names with the system's DNS lookup, as connections do. */
export function hostResolver({
  lookup = systemLookup,
  limitMs = limitMsMax,
}: HostResolverOptions = {}): Resolver {
  return {
    resolve: (hostname) =>
      new Promise((resolve) => {
        const limit = setTimeout(() => resolve([]), limitMs);
        lookup(hostname, { all: true }, (error, found) => {
          clearTimeout(limit);
          const addresses = error === null && Array.isArray(found) ? found : [];
          resolve(addresses.map(({ address }) => address));
        });
      }),
  };
}
