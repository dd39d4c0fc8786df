/** Reads secrets from an external store by their references. */
export interface SecretReader {
  /**
   * Returns the secret.
   * @throws Error if the secret cannot be read. The error contains no part of the secret.
   */
  read(reference: string): Promise<string>;
}
