import { createHash } from "node:crypto";
import type { Chance } from "./clock.ts";

/** The prefix of every kind of id that a client can see. */
export const idPrefix = {
  account: "acct_",
  apiKey: "key_",
  watchlist: "wl_",
  run: "wlrun_",
  webhookEndpoint: "we_",
  delivery: "dlv_",
  event: "evt_",
  request: "req_",
  creditTransaction: "ctx_",
} as const;
export type IdKind = keyof typeof idPrefix;

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const timeLength = 9;
const randomLength = 15;

/** Time-ordered id: ids made later sort later, 75 random bits tell equal milliseconds apart. */
export function newId(kind: IdKind, now: Date, chance: Chance): string {
  let time = "";
  let rest = now.getTime();
  for (let i = 0; i < timeLength; i += 1) {
    time = alphabet.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  const random = Array.from(chance.bytes(randomLength), (byte) => alphabet.charAt(byte % 32));
  return idPrefix[kind] + time + random.join("");
}

/** Id that is the same wherever the same parts are named: repeats of one fact share it. */
export function derivedId(kind: IdKind, ...parts: readonly (string | number)[]): string {
  const digest = createHash("sha256").update(JSON.stringify(parts)).digest();
  return idPrefix[kind] + Array.from(digest.subarray(0, 24), (b) => alphabet.charAt(b % 32)).join("");
}
