import { lookup } from "node:dns/promises";
import type { Resolver } from "../outgoing/resolver.ts";

/** Looks names up as a connection would. */
export function hostResolver(): Resolver {
  return {
    async resolve(hostname) {
      try {
        return (await lookup(hostname, { all: true })).map(({ address }) => address);
      } catch {
        return [];
      }
    },
  };
}
