import { useState } from "preact/hooks";
import type { List, WebhookDelivery, WebhookEndpoint } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { WriteButton } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/states.tsx";
import { useToast } from "../../ui/toast.tsx";

interface SendElsewhereProps {
  readonly delivery: WebhookDelivery;
  readonly endpoints: List<WebhookEndpoint>;
  readonly onSent: () => void;
}

/**
 * A form that sends the event of a delivery to another enabled endpoint, even if that endpoint does
 * not subscribe to the event's type. Then shows a toast and calls `onSent`.
 */
export function SendElsewhere({ delivery, endpoints, onSent }: SendElsewhereProps) {
  const toast = useToast();
  const others = endpoints.data.filter(({ id, enabled }) => enabled && id !== delivery.endpoint_id);
  const [chosen, setChosen] = useState<string>();
  const endpoint = others.find(({ id }) => id === chosen) ?? others[0];
  const send = useAction((api, id: string) =>
    api.send<WebhookDelivery>("POST", `events/${delivery.event_id}/send`, {
      body: { webhook_endpoint_id: id },
    }),
  );
  if (endpoint === undefined) {
    return (
      <p class="muted small">
        You can send the event to another endpoint, but the account has no other enabled endpoint.
      </p>
    );
  }
  const submit = async (): Promise<void> => {
    if ((await send.run(endpoint.id)) === undefined) return;
    toast(`The event is being sent to ${nameOf(endpoint)}.`);
    onSent();
  };
  return (
    <section class="send-elsewhere" aria-label="Send to another endpoint">
      <h3>Send to another endpoint</h3>
      <div class="row">
        <select
          class="control"
          aria-label="Endpoint that receives the event"
          value={endpoint.id}
          onChange={(event) => setChosen(event.currentTarget.value)}
        >
          {others.map((one) => (
            <option key={one.id} value={one.id}>
              {nameOf(one)}
            </option>
          ))}
        </select>
        <WriteButton busy={send.busy} onClick={() => void submit()}>
          Send
        </WriteButton>
      </div>
      {send.error && <ErrorState error={send.error} />}
    </section>
  );
}

const nameOf = ({ description, url }: WebhookEndpoint): string =>
  description === null ? url : `${description} (${url})`;
