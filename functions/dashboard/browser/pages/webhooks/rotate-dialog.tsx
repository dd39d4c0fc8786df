import { useState } from "preact/hooks";
import type { WebhookEndpoint, WebhookEndpointWithSecret } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { useSecretUnderWay } from "../../ui/leaving.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Checkbox } from "../../ui/field.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

interface RotateDialogProps {
  readonly endpoint: WebhookEndpoint;
  readonly onRotated: () => void;
  readonly onClose: () => void;
}

export function RotateDialog({ endpoint, onRotated, onClose }: RotateDialogProps) {
  const [overlap, setOverlap] = useState(true);
  const [rotated, setRotated] = useState<WebhookEndpointWithSecret>();
  const rotate = useAction((api, body: { overlap: boolean }) =>
    api.send<WebhookEndpointWithSecret>("POST", `webhook_endpoints/${endpoint.id}/rotate`, {
      body,
    }),
  );
  useSecretUnderWay(rotate.busy);
  const confirm = async (): Promise<void> => {
    const answer = await rotate.run({ overlap });
    if (answer === undefined) return;
    setRotated(answer);
    onRotated();
  };
  if (rotated !== undefined) return <SecretDialog endpoint={rotated} onClose={onClose} />;
  return (
    <ConfirmDialog
      title="Rotate the signing secret?"
      confirm="Rotate secret"
      danger={!overlap}
      busy={rotate.busy}
      error={rotate.error}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>
        A new secret signs from now on. The present one ends in <code>{endpoint.secret_hint}</code>.
      </p>
      <Checkbox
        label="Let the present secret sign too for 24 hours"
        checked={overlap}
        onChange={setOverlap}
      />
      <p class="muted small">
        {overlap
          ? "Deliveries carry both signatures until the old secret expires, so that you can change your receiver in time."
          : "Your receiver rejects deliveries until it has the new secret. Do this if the present secret has leaked."}
      </p>
    </ConfirmDialog>
  );
}
