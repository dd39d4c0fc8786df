import { apiErrorOf } from "../../api/api-error.ts";
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
  const redeliver = useAction(async (api, id: string) => {
    try {
      await api.send("POST", `webhook_deliveries/${id}/redeliver`);
      return "It is being sent again.";
    } catch (thrown) {
      return apiErrorOf(thrown).message;
    }
  });
  const click = async (): Promise<void> => {
    const outcome = await redeliver.run(delivery.id);
    if (outcome === undefined) return;
    toast(outcome);
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
