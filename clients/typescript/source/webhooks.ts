import { createHmac, timingSafeEqual } from "node:crypto";
import type { Event } from "./events.ts";
import type { WebhookTestEvent } from "./generated/schemas.ts";

/** The body of a delivery. */
export type WebhookEvent = Event | WebhookTestEvent;

/** The delivery is not signed with the secret, or its signature is too old. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
}

interface HeaderReader {
  get(name: string): string | null;
}
/** Headers of `fetch`, or of a `node:http` request. */
export type WebhookHeaders = HeaderReader | Readonly<Record<string, string | string[] | undefined>>;

const toleranceSeconds = 300;

/**
 * Verifies the signature of a delivery, and returns its event. `body` must be the raw body. During
 * a rotation, `secret` can contain both secrets.
 * @throws SignatureError if no signature matches a secret, or if the time of the signature differs
 * by more than five minutes from the clock of this machine
 * @throws TypeError if `body` is neither a string nor bytes, or if no secret is set
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
): WebhookEvent {
  requireRawBody(body);
  const secrets = secretsOf(secret);
  const header = headerOf(headers, "service-signature");
  if (header === undefined)
    throw new SignatureError(
      "The request has no header Service-Signature. Pass all headers of the delivery.",
    );
  const [, time = ""] = /^t=(\d{1,12}),/.exec(header) ?? [];
  if (time === "")
    throw new SignatureError(`Service-Signature must begin with 't=<seconds>,' (got "${header}").`);
  const difference = Math.abs(Math.floor(Date.now() / 1_000) - Number(time));
  if (difference > toleranceSeconds)
    throw new SignatureError(
      `The time in Service-Signature must be within ${toleranceSeconds} s of the clock of this machine (got a difference of ${difference} s). Check the clock, or refuse the delivery: it may be a replay.`,
    );
  const signatures = header.split(",").filter((field) => /^v1=[0-9a-f]{64}$/.test(field));
  const isSigned = secrets.some((key) => {
    if (key === "") return false;
    const expected = createHmac("sha256", key).update(`${time}.`).update(body).digest();
    return signatures.some((field) =>
      timingSafeEqual(Buffer.from(field.slice(3), "hex"), expected),
    );
  });
  if (!isSigned)
    throw new SignatureError(
      "No signature in Service-Signature matches the secret. Pass the raw body and the secret of this endpoint.",
    );
  return JSON.parse(Buffer.from(body).toString()) as WebhookEvent;
}

/**
 * Refuses a body that was already parsed as JSON, which a JavaScript caller can pass. If it were
 * serialized again, its bytes could differ from the signed bytes.
 * @throws TypeError if `body` is neither a string nor bytes
 */
function requireRawBody(body: unknown): void {
  if (typeof body !== "string" && !(body instanceof Uint8Array))
    throw new TypeError(
      "'body' must be the raw body of the request, a string or bytes. Read it before a JSON parser does.",
    );
}

/**
 * Returns the secrets as an array. A JavaScript caller can pass undefined, for example an
 * environment variable that is not set.
 * @throws TypeError if there is no secret, or if a secret is not a string
 */
function secretsOf(secret: string | readonly string[] | undefined): readonly string[] {
  const secrets = typeof secret === "string" ? [secret] : (secret ?? []);
  if (secrets.length === 0 || secrets.some((key) => typeof key !== "string"))
    throw new TypeError(
      "'secret' is missing. Pass the secret of the webhook endpoint, which begins with whsec_.",
    );
  return secrets;
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers["get"] === "function") return (headers as HeaderReader).get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found[0] : found;
}
