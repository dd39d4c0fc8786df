import { useState } from "preact/hooks";
import type { WebhookEndpoint, WebhookEndpointWithSecret } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { useSecretLeaveQuestion } from "../../ui/leaving.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Checkbox } from "../../ui/field.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

interface RotateDialogProps {
  readonly endpoint: WebhookEndpoint;
  readonly onRotated: () => void;
  readonly onClose: () => void;
}

/**
 * Asks the user to confirm, and rotates the signing secret of an endpoint. Then calls `onRotated`,
 * and shows the new secret. Calls `onClose` when the user closes the dialog. The user chooses
 * whether the current secret stays valid for 24 hours.
 */
export function RotateDialog({ endpoint, onRotated, onClose }: RotateDialogProps) {
  const [overlap, setOverlap] = useState(true);
  const [rotated, setRotated] = useState<WebhookEndpointWithSecret>();
  const rotate = useAction((api, body: { overlap: boolean }) =>
    api.send<WebhookEndpointWithSecret>("POST", `webhook_endpoints/${endpoint.id}/rotate`, {
      body,
    }),
  );
  useSecretLeaveQuestion(rotate.busy);
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
        Creates a new signing secret. The current one ends in <code>{endpoint.secret_hint}</code>.
      </p>
      <Checkbox
        label="Also sign with the current secret for 24 hours"
        checked={overlap}
        onChange={setOverlap}
      />
      <p class="muted small">
        {overlap
          ? "Deliveries contain both signatures for 24 hours. Change the secret of your receiver in that time."
          : "Your receiver rejects deliveries until it uses the new secret. Choose this if the current secret has leaked."}
      </p>
    </ConfirmDialog>
  );
}
