/**
 * Resolves host names. The API can therefore refuse a URL when a customer sets it, not only at
 * delivery.
 */
export interface Resolver {
  /**
   * Returns all addresses of a name, or none if it cannot be resolved. An IP address resolves to
   * itself.
   */
  resolve(hostname: string): Promise<readonly string[]>;
}
