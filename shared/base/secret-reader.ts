/** Reads secrets from an external store by their references. */
export interface SecretReader {
  /** Returns the secret. @throws Error with the reference, never with a part of the secret */
  read(reference: string): Promise<string>;
}
