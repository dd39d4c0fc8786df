/** Name resolution, as registration uses it to refuse early what delivery would refuse late. */
export interface Resolver {
  /** Every address behind a name; an empty list when there is none. An address resolves to itself. */
  resolve(hostname: string): Promise<readonly string[]>;
}
