import { NoSuchKey } from "@aws-sdk/client-s3";

type Members = Readonly<Record<string, unknown>>;

/**
 * Creates a simulation of the service's bucket of event bodies. A write throws Error if the object
 * already exists with different bytes.
 */
export function virtualBucket() {
  const stored = new Map<string, Buffer>();
  return {
    stored,
    service(operation: string, input: Members): Members {
      const key = String(input["Key"]);
      if (operation === "PutObject") {
        const bytes = Buffer.from(input["Body"] as Uint8Array);
        const before = stored.get(key);
        if (before !== undefined && !before.equals(bytes)) {
          throw new Error(`${key} was overwritten with different bytes`);
        }
        stored.set(key, bytes);
        return {};
      }
      if (operation !== "GetObject")
        throw new Error(`The simulated bucket does not support ${operation}`);
      const found = stored.get(key);
      if (found === undefined) throw new NoSuchKey({ message: key, $metadata: {} });
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(String(input["Range"])) ?? [];
      const part = from === undefined ? found : found.subarray(Number(from), Number(to) + 1);
      return { Body: { transformToByteArray: async () => Uint8Array.from(part) } };
    },
  };
}

/**
 * Creates a simulation of a KMS key. Decryption throws InvalidCiphertextException unless it has the
 * context under which the ciphertext was encrypted.
 */
export function virtualKey() {
  const sealed = new Map<string, { readonly plaintext: Uint8Array; readonly context: string }>();
  const contextOf = (input: Members): string =>
    JSON.stringify(input["EncryptionContext"], ["account", "record", "field"]);
  return {
    service(operation: string, input: Members): Members {
      if (operation === "Encrypt") {
        const name = `sealed-${sealed.size + 1}`;
        const plaintext = Uint8Array.from(input["Plaintext"] as Uint8Array);
        sealed.set(name, { plaintext, context: contextOf(input) });
        return { CiphertextBlob: Buffer.from(name) };
      }
      if (operation !== "Decrypt")
        throw new Error(`The simulated KMS key does not support ${operation}`);
      const found = sealed.get(Buffer.from(input["CiphertextBlob"] as Uint8Array).toString());
      if (found === undefined || found.context !== contextOf(input)) {
        throw Object.assign(new Error("wrong"), { name: "InvalidCiphertextException" });
      }
      return { Plaintext: found.plaintext };
    },
  };
}
