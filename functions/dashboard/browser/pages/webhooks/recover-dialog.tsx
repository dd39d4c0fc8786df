import type { WebhookRecovery } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { type Span, SpanDialog } from "../../ui/span-dialog.tsx";
import { useToast } from "../../ui/toast.tsx";

interface RecoverDialogProps {
  readonly endpointId: string;
  readonly onRecovered: () => void;
  readonly onClose: () => void;
}

export function RecoverDialog({ endpointId, onRecovered, onClose }: RecoverDialogProps) {
  const toast = useToast();
  const recover = useAction((api, body: Span) =>
    api.send<WebhookRecovery>("POST", `webhook_endpoints/${endpointId}/recover`, { body }),
  );
  const confirm = async (span: Span): Promise<void> => {
    if ((await recover.run(span)) === undefined) return;
    toast("What did not arrive is being sent again.");
    onRecovered();
    onClose();
  };
  return (
    <SpanDialog
      title="Recover a span"
      confirm="Recover"
      busy={recover.busy}
      error={recover.error}
      onConfirm={(span) => void confirm(span)}
      onClose={onClose}
    >
      <p>
        Events of this time that did not reach the endpoint are sent again. What was delivered is
        not sent twice.
      </p>
    </SpanDialog>
  );
}
