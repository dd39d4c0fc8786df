/** Reads secrets that another store keeps, by their reference. */
export interface SecretReader {
  /** @throws Error with the reference, never with a part of the secret */
  read(reference: string): Promise<string>;
}
