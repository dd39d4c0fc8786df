import { createPrivateKey, type KeyObject, sign } from "node:crypto";

/** The credentials with which calls are signed. */
export interface Signer {
  readonly consumerId: string;
  /** The version of the public key with which the API verifies this consumer's signature. */
  readonly keyVersion: string;
  /** An RSA key from `rsaKey`. */
  readonly privateKey: KeyObject;
}

/**
 * Returns the four request headers that authenticate the service to the source. The signature is
 * RSA-SHA256 (PKCS #1 v1.5) over three lines: the consumer ID, the time in milliseconds and the key
 * version. The signature is valid for about three minutes.
 */
export function signHeaders(
  { consumerId, keyVersion, privateKey }: Signer,
  now: Date,
): Readonly<Record<string, string>> {
  const timestamp = String(now.getTime());
  const text = `${consumerId}\n${timestamp}\n${keyVersion}\n`;
  return {
    "WM_CONSUMER.ID": consumerId,
    "WM_CONSUMER.INTIMESTAMP": timestamp,
    "WM_SEC.KEY_VERSION": keyVersion,
    "WM_SEC.AUTH_SIGNATURE": sign("sha256", Buffer.from(text), privateKey).toString("base64"),
  };
}

/**
 * Parses an RSA private key in PEM; returns null for any other string. Ignores the parser's error,
 * because its message may contain the key.
 */
export function rsaKey(pem: string): KeyObject | null {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === "rsa" ? key : null;
  } catch {
    return null;
  }
}
