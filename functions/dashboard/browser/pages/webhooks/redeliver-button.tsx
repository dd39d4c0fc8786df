import { ApiError, apiErrorOf } from "../../api/api-error.ts";
import type { WebhookDelivery } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { WriteButton } from "../../ui/button.tsx";
import { useFailureToast, useToast } from "../../ui/toast.tsx";

interface RedeliverButtonProps {
  readonly delivery: WebhookDelivery;
  /**
   * The reason why the delivery's endpoint cannot receive deliveries; undefined if the endpoint
   * can.
   */
  readonly blocked: string | undefined;
  readonly variant?: "primary";
  readonly small?: boolean;
  readonly onRedelivered: () => void;
  /**
   * Called with the error if the delivery was not sent, and with undefined before each attempt. By
   * default, a toast shows the error.
   */
  readonly onFailed?: (error: ApiError | undefined) => void;
}

/**
 * A button that sends a delivery again, even one that succeeded. Calls `onRedelivered` after each
 * request to the service, even if the request failed. Disabled if the delivery is a test, or if
 * `blocked` has a reason.
 */
export function RedeliverButton(props: RedeliverButtonProps) {
  const { delivery, blocked, variant, small, onRedelivered } = props;
  const toast = useToast();
  const toastFailure = useFailureToast();
  const redeliver = useAction((api, id: string) =>
    api.send<unknown>("POST", `webhook_deliveries/${id}/redeliver`).catch(apiErrorOf),
  );
  const click = async (): Promise<void> => {
    props.onFailed?.(undefined);
    const answer = await redeliver.run(delivery.id);
    if (answer instanceof ApiError) (props.onFailed ?? toastFailure)(answer);
    else if (answer !== undefined) toast("The delivery is being sent again.");
    onRedelivered();
  };
  const isTest = delivery.run_id === null;
  return (
    <WriteButton
      {...(variant && { variant })}
      {...(small && { small })}
      label={`Redeliver ${delivery.event_type}, ${delivery.id}`}
      busy={redeliver.busy}
      disabledReason={isTest ? "A test cannot be redelivered. Send a new test." : blocked}
      onClick={() => void click()}
    >
      Redeliver
    </WriteButton>
  );
}
