import type { RandomSource } from "../base/clock.ts";

const secretPrefix = "whsec_";
const secretBytes = 33;
const hintLength = 4;

/** Creates a signing secret: `whsec_` and 33 random bytes in base64. */
export const newSecret = (random: RandomSource): string =>
  secretPrefix + Buffer.from(random.bytes(secretBytes)).toString("base64");

/** Returns the last four characters of a secret, by which a customer recognizes it. */
export const secretHint = (secret: string): string => secret.slice(-hintLength);

/**
 * Returns the random bytes of a secret, which are the HMAC key of the Standard Webhooks convention.
 */
export const secretKey = (secret: string): Uint8Array =>
  Buffer.from(secret.slice(secretPrefix.length), "base64");
