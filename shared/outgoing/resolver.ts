/** Resolves host names, so that a URL is refused when it is set and not only at delivery. */
export interface Resolver {
  /** All addresses of a name; empty if there are none. An address resolves to itself. */
  resolve(hostname: string): Promise<readonly string[]>;
}
