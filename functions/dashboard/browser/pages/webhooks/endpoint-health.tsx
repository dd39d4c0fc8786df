import type { WebhookEndpoint } from "../../api/resources.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Notice } from "../../ui/states.tsx";
import type { Facts } from "../../ui/card.tsx";
import { reasonInWords } from "./delivery-words.ts";

type FactList = Parameters<typeof Facts>[0]["facts"];

/** Returns the state of an endpoint for a badge: its status, or `enabled` for the status `ok`. */
export const stateOf = ({ status }: WebhookEndpoint): string =>
  status === "ok" ? "enabled" : status;

/**
 * Returns names and values for the health of an endpoint: the last success, the time since which
 * all attempts failed, and the last failure. Omits the time if the endpoint is not failing, and the
 * last failure if there is none.
 */
export function healthFacts(endpoint: WebhookEndpoint): FactList {
  const { failing_since: since, last_error: error, last_success_at: success } = endpoint;
  return [
    ["Last success", <RelativeTime key="success" time={success} />],
    ...(since === null
      ? []
      : [["Failing since", <RelativeTime key="since" time={since} />] as const]),
    ...(error === null ? [] : [["Last failure", reasonInWords(error)] as const]),
  ];
}

/**
 * Shows a notice if an endpoint is failing or was disabled by the service. Otherwise shows nothing.
 */
export function HealthNotice({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { disabled_reason: reason, status } = endpoint;
  if (reason === "gone") {
    return (
      <Notice tone="bad">
        <p>
          The service disabled this endpoint because its receiver returned HTTP 410. It receives
          nothing until you enable it. Then use Recover to send the missed events.
        </p>
      </Notice>
    );
  }
  if (reason === "failing") {
    return (
      <Notice tone="bad">
        <p>
          The service disabled this endpoint because no delivery succeeded for five days. It
          receives nothing until you enable it. Then use Recover to send the missed events.
        </p>
      </Notice>
    );
  }
  if (status !== "failing") return null;
  return (
    <Notice tone="warning">
      <p>
        The latest deliveries failed. The service tries them again, and disables the endpoint if no
        delivery succeeds for five days.
      </p>
    </Notice>
  );
}
