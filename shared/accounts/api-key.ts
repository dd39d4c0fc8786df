import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { RandomSource } from "../base/clock.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const secretLength = 32;
const checksumLength = 6;
const shownLength = 12;
/** Length of a key: `svc_live_` or `svc_demo_`, the random part and the checksum. */
const keyLength = 9 + secretLength + checksumLength;
const keyPattern = /^svc_(?:live|demo)_[0-9A-Za-z]{38}$/;

/**
 * Creates an API key in plain text: `svc_live_` (`svc_demo_` for the demo workspace), 32 random
 * base62 characters, and 6 base62 characters with the CRC32 of everything before them. Stores
 * nothing. The checksum allows the API to refuse a mistyped key without reading the store.
 */
export function newApiKey(demo: boolean, random: RandomSource): string {
  const head = demo ? "svc_demo_" : "svc_live_";
  let secret = "";
  while (secret.length < secretLength) {
    for (const byte of random.bytes(secretLength)) {
      // Skips bytes from 248 on. Otherwise the first 8 characters of the alphabet would occur more
      // often than the others.
      if (byte < 248 && secret.length < secretLength) secret += alphabet.charAt(byte % 62);
    }
  }
  return head + secret + checksum(head + secret);
}

/**
 * Returns a sentence about what is wrong with the format of an API key; undefined for a well-formed
 * key. The sentence never contains the key.
 */
export function apiKeyFlaw(text: string): string | undefined {
  if (isWellFormedApiKey(text)) return undefined;
  if (/^Bearer\s/i.test(text)) {
    return "The key begins with the word 'Bearer'. Send it in the Authorization header only.";
  }
  if (/^["'`<].*["'`>]$/.test(text)) return "The key is in quotes or brackets. Remove them.";
  if (/\s/.test(text)) return "The key contains white space. Remove it.";
  if (!/^svc_(?:live|demo)_/.test(text))
    return "A key must begin with svc_live_ or svc_demo_. Copy the whole key.";
  return text.length === keyLength
    ? "The checksum of the key does not match. Check the key for typing errors."
    : `A key must have ${keyLength} characters (got ${text.length}). Copy the whole key and nothing else.`;
}

function isWellFormedApiKey(key: string): boolean {
  if (!keyPattern.test(key)) return false;
  return checksum(key.slice(0, -checksumLength)) === key.slice(-checksumLength);
}

/**
 * Returns the SHA-256 of a key in hexadecimal digits. The service stores this hash instead of the
 * key.
 */
export function hashApiKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/**
 * Returns the first 12 characters of a key: enough to recognize the key, too few to call the API.
 */
export function apiKeyPrefix(key: string): string {
  return key.slice(0, shownLength);
}

/** Returns the CRC32 of a text as 6 base62 characters. */
function checksum(text: string): string {
  let rest = crc32(text);
  let encoded = "";
  for (let i = 0; i < checksumLength; i += 1) {
    encoded = alphabet.charAt(rest % 62) + encoded;
    rest = Math.floor(rest / 62);
  }
  return encoded;
}
