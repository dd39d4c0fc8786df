import { createHmac } from "node:crypto";
import { secretKey } from "./secret.ts";

export interface Signing {
  readonly body: Uint8Array;
  /** Whole secrets (`whsec_...`), the current one first. */
  readonly secrets: readonly string[];
  /** Time of the attempt. Receivers refuse signatures older than about 300 s. */
  readonly at: Date;
}

/**
 * Value of `Service-Signature`: `t=<unix seconds>,v1=<hex>[,v1=<hex>]`, each the HMAC-SHA256 over
 * `<t>.<body>`, keyed with the whole secret (specification, section "Events").
 */
export function signatureHeader({ body, secrets, at }: Signing): string {
  const t = unixSeconds(at);
  const entries = secrets.map(
    (secret) => `v1=${createHmac("sha256", secret).update(`${t}.`).update(body).digest("hex")}`,
  );
  return [`t=${t}`, ...entries].join(",");
}

/** The headers of the Standard Webhooks convention, signed with the decoded bytes of the secret. */
export function standardHeaders(id: string, { body, secrets, at }: Signing) {
  const t = unixSeconds(at);
  const entries = secrets.map((secret) => {
    const mac = createHmac("sha256", secretKey(secret)).update(`${id}.${t}.`).update(body);
    return `v1,${mac.digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(t),
    "webhook-signature": entries.join(" "),
  };
}

export const unixSeconds = (at: Date): number => Math.floor(at.getTime() / 1_000);

/** The signatures of one request. */
export interface RequestSignature {
  /** Value of `Service-Signature`. */
  readonly service: string;
  /** Value of `webhook-signature` (Standard Webhooks). */
  readonly standard: string;
}
