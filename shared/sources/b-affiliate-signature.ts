import { createPrivateKey, type KeyObject, sign } from "node:crypto";

export interface Signer {
  readonly consumerId: string;
  /** Which of the consumer's public keys the source checks with. */
  readonly keyVersion: string;
  /** An RSA private key as PEM. */
  readonly privateKey: string;
}

/**
 * The four headers by which the source knows its caller: RSA-SHA256 (PKCS #1 v1.5) over consumer,
 * time in milliseconds and key version, a line each. The source takes them for about three minutes.
 * @throws Error when the key is no RSA private key; it shows nothing of the key.
 */
export function signedHeaders(
  { consumerId, keyVersion, privateKey }: Signer,
  now: Date,
): Readonly<Record<string, string>> {
  const timestamp = String(now.getTime());
  const text = `${consumerId}\n${timestamp}\n${keyVersion}\n`;
  return {
    "WM_CONSUMER.ID": consumerId,
    "WM_CONSUMER.INTIMESTAMP": timestamp,
    "WM_SEC.KEY_VERSION": keyVersion,
    "WM_SEC.AUTH_SIGNATURE": sign("sha256", Buffer.from(text), rsaKey(privateKey)).toString(
      "base64",
    ),
  };
}

function rsaKey(pem: string): KeyObject {
  const key = parsedKey(pem);
  if (key?.asymmetricKeyType !== "rsa") {
    throw new Error("The key of b_affiliate is no RSA private key as PEM.");
  }
  return key;
}

/** What the parser says of a bad key may quote it, so it is dropped. */
function parsedKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
