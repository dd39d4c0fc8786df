import type { RandomSource } from "../base/clock.ts";

const secretPrefix = "whsec_";
const secretBytes = 33;
const hintLength = 4;

/** A new signing secret: `whsec_` and base64 of 33 random bytes. */
export const newSecret = (random: RandomSource): string =>
  secretPrefix + Buffer.from(random.bytes(secretBytes)).toString("base64");

/** The last four characters of a secret, by which its owner recognises it. */
export const secretHint = (secret: string): string => secret.slice(-hintLength);

/** Decodes the random bytes of a secret. */
export const secretKey = (secret: string): Uint8Array =>
  Buffer.from(secret.slice(secretPrefix.length), "base64");
