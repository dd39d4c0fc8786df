import type { WebhookRecovery } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { type Span, SpanDialog } from "../../ui/span-dialog.tsx";
import { useToast } from "../../ui/toast.tsx";

interface RecoverDialogProps {
  readonly endpointId: string;
  readonly onRecovered: () => void;
  readonly onClose: () => void;
}

/**
 * Asks the user for a time span, and starts a recovery of an endpoint's missed events. Then calls
 * `onRecovered` and `onClose`. If the call fails, shows the error and stays open.
 */
export function RecoverDialog({ endpointId, onRecovered, onClose }: RecoverDialogProps) {
  const toast = useToast();
  const recover = useAction((api, body: Span) =>
    api.send<WebhookRecovery>("POST", `webhook_endpoints/${endpointId}/recover`, { body }),
  );
  const confirm = async (span: Span): Promise<void> => {
    if ((await recover.run(span)) === undefined) return;
    toast("The recovery has started.");
    onRecovered();
    onClose();
  };
  return (
    <SpanDialog
      title="Recover a time span"
      confirm="Recover"
      busy={recover.busy}
      error={recover.error}
      onConfirm={(span) => void confirm(span)}
      onClose={onClose}
    >
      <p>
        Sends the events of this time span that did not reach the endpoint. Events that were
        delivered are not sent again.
      </p>
    </SpanDialog>
  );
}
