import type { WebhookEndpointWithSecret } from "../../api/resources.ts";
import { Button } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/states.tsx";

interface SecretDialogProps {
  readonly endpoint: WebhookEndpointWithSecret;
  readonly onClose: () => void;
}

/**
 * Shows the signing secret of an endpoint, which the service returns only once. Only its button
 * closes the dialog and calls `onClose`.
 */
export function SecretDialog({ endpoint, onClose }: SecretDialogProps) {
  return (
    <Dialog title="Signing secret" dismissable={false} onClose={onClose}>
      <Notice tone="warning">Copy the secret now. It will not be shown again.</Notice>
      <Copyable text={endpoint.secret} what="the secret" />
      <p class="muted small">
        Your receiver uses this secret to verify that a delivery comes from this service.
        {endpoint.previous_secret_expires_at !== null &&
          " Deliveries are also signed with the previous secret for 24 hours."}
      </p>
      <div class="dialog-actions">
        <Button variant="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}
