/** Encryption context of a secret. Decryption needs the same context. */
export interface SecretContext {
  readonly account: string;
  /** ID of the record that stores the ciphertext. */
  readonly record: string;
  readonly field: string;
}

/** Encrypts and decrypts stored secrets: webhook secrets and export keys. */
export interface SecretBox {
  /** Encrypts a secret. Returns the ciphertext as base64 text. */
  seal(plaintext: string, context: SecretContext): Promise<string>;
  /**
   * Decrypts a secret.
   * @throws Error if the ciphertext was changed or was encrypted with another context
   */
  open(ciphertext: string, context: SecretContext): Promise<string>;
}
