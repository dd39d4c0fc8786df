/** Reads secrets from an external store by their references. */
export interface SecretReader {
  /**
   * Returns the secret.
   * @throws Error that names the reference, and contains no part of the secret
   */
  read(reference: string): Promise<string>;
}
