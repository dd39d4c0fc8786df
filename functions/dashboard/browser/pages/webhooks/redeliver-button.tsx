import type { WebhookDelivery } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { WriteButton } from "../../ui/button.tsx";
import { useToast } from "../../ui/toast.tsx";

interface RedeliverButtonProps {
  readonly delivery: WebhookDelivery;
  /** Why its endpoint takes nothing now. */
  readonly blocked: string | undefined;
  readonly variant?: "primary";
  readonly small?: boolean;
  readonly onRedelivered: () => void;
}

/** Sends a delivery once more, whatever became of it. */
export function RedeliverButton(props: RedeliverButtonProps) {
  const { delivery, blocked, variant, small, onRedelivered } = props;
  const toast = useToast();
  const redeliver = useAction((api, id: string) =>
    api.send("POST", `webhook_deliveries/${id}/redeliver`),
  );
  const click = async (): Promise<void> => {
    const done = await redeliver.run(delivery.id);
    toast(done === undefined ? "It could not be sent again." : "It is being sent again.");
    onRedelivered();
  };
  const isTest = delivery.run_id === null;
  return (
    <WriteButton
      {...(variant && { variant })}
      {...(small && { small })}
      label={`Redeliver ${delivery.event_type}, ${delivery.id}`}
      busy={redeliver.busy}
      disabledReason={isTest ? "A test is not sent again. Send another one." : blocked}
      onClick={() => void click()}
    >
      Redeliver
    </WriteButton>
  );
}
