import type { SecretBox } from "../../shared/base/secret-box.ts";

/**
 * Creates a secret box that keeps plaintext and context in memory. `open` throws an Error if the
 * ciphertext is from another box or was encrypted with another context.
 */
export function memorySecretBox(): SecretBox {
  const sealed = new Map<string, { plaintext: string; context: string }>();
  return {
    async seal(plaintext, context) {
      const ciphertext = `sealed-${sealed.size + 1}`;
      sealed.set(ciphertext, { plaintext, context: JSON.stringify(context) });
      return ciphertext;
    },
    async open(ciphertext, context) {
      const foundSecret = sealed.get(ciphertext);
      if (foundSecret?.context !== JSON.stringify(context))
        throw new Error(
          "This secret box did not encrypt the ciphertext with this context. Pass the ciphertext and context of one call of 'seal'.",
        );
      return foundSecret.plaintext;
    },
  };
}
