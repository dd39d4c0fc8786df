/** Opens secrets that are kept elsewhere and named by a reference. */
export interface SecretReader {
  /** @throws Error that names the reference and never holds any of the secret */
  read(reference: string): Promise<string>;
}
