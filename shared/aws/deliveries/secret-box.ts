import { DecryptCommand, EncryptCommand, type KMSClient } from "@aws-sdk/client-kms";
import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import type { SecretBox, SecretContext } from "../../base/secret-box.ts";

const cacheMs = 5 * 60 * 1_000;
const cacheEntriesMax = 1_000;

/**
 * Creates a secret box that encrypts and decrypts with a KMS key. Passes `context` as the
 * encryption context: `open` rejects if its context differs from the context given to `seal`.
 * Caches up to 1,000 decrypted secrets for five minutes.
 */
export function kmsSecretBox(
  client: KMSClient,
  { keyId, clock }: { readonly keyId: string; readonly clock: Clock },
): SecretBox {
  const cache = new Map<string, { readonly plaintext: string; readonly until: number }>();
  return {
    async seal(plaintext, context) {
      const { CiphertextBlob } = await client.send(
        new EncryptCommand({
          KeyId: keyId,
          Plaintext: Buffer.from(plaintext),
          EncryptionContext: { ...context },
        }),
      );
      assert(CiphertextBlob !== undefined, "KMS Encrypt must return a ciphertext");
      return Buffer.from(CiphertextBlob).toString("base64");
    },
    async open(ciphertext, context) {
      const now = clock.now().getTime();
      const name = cacheName(ciphertext, context);
      const cached = cache.get(name);
      if (cached !== undefined && cached.until > now) return cached.plaintext;
      const { Plaintext } = await client.send(
        new DecryptCommand({
          KeyId: keyId,
          CiphertextBlob: Buffer.from(ciphertext, "base64"),
          EncryptionContext: { ...context },
        }),
      );
      assert(Plaintext !== undefined, "KMS Decrypt must return a plaintext");
      const plaintext = Buffer.from(Plaintext).toString();
      if (cache.size >= cacheEntriesMax) cache.clear();
      cache.set(name, { plaintext, until: now + cacheMs });
      return plaintext;
    },
  };
}

const cacheName = (ciphertext: string, { account, record, field }: SecretContext): string =>
  JSON.stringify([ciphertext, account, record, field]);
