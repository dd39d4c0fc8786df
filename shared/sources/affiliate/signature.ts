import { createPrivateKey, type KeyObject, sign } from "node:crypto";

export interface Signer {
  readonly consumerId: string;
  /** Which of the consumer's public keys the source checks with. */
  readonly keyVersion: string;
  /** An RSA key, as `rsaKey` makes it. */
  readonly privateKey: KeyObject;
}

/**
 * The four headers by which the source knows its caller: RSA-SHA256 (PKCS #1 v1.5) over consumer,
 * time in milliseconds and key version, a line each. The source takes them for about three minutes.
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
    "WM_SEC.AUTH_SIGNATURE": sign("sha256", Buffer.from(text), privateKey).toString("base64"),
  };
}

/** Null for what is no RSA private key as PEM. What the parser says of it may quote it: dropped. */
export function rsaKey(pem: string): KeyObject | null {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === "rsa" ? key : null;
  } catch {
    return null;
  }
}
