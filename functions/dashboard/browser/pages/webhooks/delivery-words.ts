import type { WebhookDelivery, WebhookTest } from "../../api/resources.ts";
import { formatDuration } from "../../format/sizes.ts";

const reasons: Readonly<Record<string, string>> = {
  address_refused: "The address is not public",
  name_not_resolved: "The host name was not found",
  connection_failed: "The connection to the host failed",
  tls_failed: "The host has no valid certificate",
  connect_timeout: "The connection timed out after 5 s",
  timeout: "The receiver did not respond within 15 s",
  endpoint_disabled: "The endpoint is disabled",
  endpoint_deleted: "The endpoint was deleted",
  event_expired: "The event is too old to send",
};

/**
 * Returns the text for an error code of an attempt. For an unknown code, returns the code with
 * spaces instead of underscores.
 */
export function reasonInWords(error: string): string {
  const status = /^status_(\d+)$/.exec(error)?.[1];
  return status === undefined ? (reasons[error] ?? error.replaceAll("_", " ")) : `HTTP ${status}`;
}

/** Returns the result of the last attempt as a string: the error, `HTTP 200`, or `Not sent yet`. */
export function lastResultInWords({
  last_status: status,
  last_error: error,
}: WebhookDelivery): string {
  if (error !== null) return reasonInWords(error);
  return status === null ? "Not sent yet" : `HTTP ${status}`;
}

/** Returns the result of a test as a sentence. */
export function testInWords(test: WebhookTest): string {
  const duration = formatDuration(test.duration_ms);
  if (test.delivered)
    return `Delivered: the receiver responded with HTTP ${test.status_code} in ${duration}.`;
  if (test.status_code !== null) {
    return `Not delivered: the receiver responded with HTTP ${test.status_code} in ${duration}. Only 2xx counts as success.`;
  }
  return `Not delivered: ${lowerFirst(reasonInWords(test.error ?? "connection_failed"))}.`;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
