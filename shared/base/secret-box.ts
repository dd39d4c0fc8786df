/** Which secret this is; a ciphertext opens only under the context it was sealed with. */
export interface SecretContext {
  readonly account: string;
  /** Id of the record that keeps the ciphertext. */
  readonly record: string;
  readonly field: string;
}

/** Encrypts what must be kept but never shown: webhook secrets and export keys. */
export interface SecretBox {
  /** The ciphertext as text, to be stored. */
  seal(plaintext: string, context: SecretContext): Promise<string>;
  /** @throws when the ciphertext was changed or belongs to another context. */
  open(ciphertext: string, context: SecretContext): Promise<string>;
}
