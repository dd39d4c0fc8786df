import { DecryptCommand, EncryptCommand, type KMSClient } from "@aws-sdk/client-kms";
import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import type { SecretBox, SecretContext } from "../../base/secret-box.ts";

const cacheMs = 5 * 60 * 1_000;
const cacheEntriesMax = 1_000;

/**
 * Seals secrets with a KMS key; the context is the encryption context. Opened secrets stay in
 * memory for five minutes.
 */
export function kmsSecretBox(
  client: KMSClient,
  { keyId, clock }: { readonly keyId: string; readonly clock: Clock },
): SecretBox {
  const opened = new Map<string, { readonly plaintext: string; readonly until: number }>();
  return {
    async seal(plaintext, context) {
      const { CiphertextBlob } = await client.send(
        new EncryptCommand({
          KeyId: keyId,
          Plaintext: Buffer.from(plaintext),
          EncryptionContext: { ...context },
        }),
      );
      assert(CiphertextBlob !== undefined, "an encryption has a ciphertext");
      return Buffer.from(CiphertextBlob).toString("base64");
    },
    async open(ciphertext, context) {
      const now = clock.now().getTime();
      const name = cacheName(ciphertext, context);
      const known = opened.get(name);
      if (known !== undefined && known.until > now) return known.plaintext;
      const { Plaintext } = await client.send(
        new DecryptCommand({
          KeyId: keyId,
          CiphertextBlob: Buffer.from(ciphertext, "base64"),
          EncryptionContext: { ...context },
        }),
      );
      assert(Plaintext !== undefined, "a decryption has a plaintext");
      const plaintext = Buffer.from(Plaintext).toString();
      if (opened.size >= cacheEntriesMax) opened.clear();
      opened.set(name, { plaintext, until: now + cacheMs });
      return plaintext;
    },
  };
}

const cacheName = (ciphertext: string, { account, record, field }: SecretContext): string =>
  JSON.stringify([ciphertext, account, record, field]);
