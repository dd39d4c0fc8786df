/**
 * Types for the part of the package negotiator that this service uses. This version of the package
 * contains no types.
 */
declare module "negotiator" {
  export default class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string | undefined>> });
    /**
     * Returns the available coding that `Accept-Encoding` ranks highest; among equally ranked
     * codings, the first in `preferred`.
     */
    encoding(
      available: readonly string[],
      options: { readonly preferred: readonly string[] },
    ): string | undefined;
  }
}
