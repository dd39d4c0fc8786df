import type { Clock } from "../base/clock.ts";
import type { Attempt, Delivery } from "./delivery.ts";
import { requestHeaders, type SignedRequest } from "./request-headers.ts";
import type { ReceiverConnection, SendResult } from "../outgoing/sender.ts";
import { signatureHeader, standardHeaders } from "./signature.ts";

/** One request to send a delivery. */
export interface DeliveryRequest {
  /** The delivery as stored before this attempt. */
  readonly delivery: Delivery;
  /** Request body. It is the same for every attempt. */
  readonly body: Uint8Array;
  /** Decrypted signing secrets, the current one first. */
  readonly secrets: readonly string[];
  readonly connection: ReceiverConnection;
}

/** The result of one attempt to send a delivery. */
export interface Sent {
  readonly attempt: Attempt;
  /** Value of the `Retry-After` header of the response; null if absent. */
  readonly retryAfter: string | null;
}

const responseBytesMax = 1_024;

/**
 * Signs a delivery and sends it in one request. If the receiver fails, returns the failure in the
 * result and does not throw.
 * @param secrets the signing secrets in plain text
 */
export async function sendDelivery(
  { delivery, body, secrets, connection }: DeliveryRequest,
  clock: Clock,
): Promise<Sent> {
  const at = clock.now();
  const number = delivery.attemptCount + 1;
  const signing = { body, secrets, at };
  const signature = {
    service: signatureHeader(signing),
    standard: standardHeaders(delivery.eventId, signing)["webhook-signature"],
  };
  const headers = requestHeaders(delivery, { number, at, signature });
  const result = await connection.send({ headers, body });
  return {
    attempt: attemptOf(result, { number, at, signature }),
    retryAfter: result.outcome === "answered" ? result.retryAfter : null,
  };
}

/**
 * Converts the result of a request to an attempt. The attempt has no number if no request was sent.
 */
function attemptOf(result: SendResult, { number, at, signature }: SignedRequest): Attempt {
  const { durationMs } = result;
  const base = { attempt: number, at: at.toISOString(), durationMs, signature };
  if (result.outcome === "failed") {
    const failed = { ...base, status: null, error: result.error, response: null };
    return result.sent ? failed : { ...failed, attempt: null, signature: null };
  }
  const { status } = result;
  const error = status >= 200 && status < 300 ? null : `status_${status}`;
  const response = Buffer.from(result.body.subarray(0, responseBytesMax)).toString();
  return { ...base, status, error, response };
}
