/** The used part of negotiator, whose package has no types for this version. */
declare module "negotiator" {
  export default class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string | undefined>> });
    /** The best available coding by `Accept-Encoding`; of equal ones, the first in `preferred`. */
    encoding(
      available: readonly string[],
      options: { readonly preferred: readonly string[] },
    ): string | undefined;
  }
}
