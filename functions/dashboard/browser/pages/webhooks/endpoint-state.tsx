import { ApiError, apiErrorOf } from "../../api/api-error.ts";
import type { WebhookEndpoint } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { linkTo, useNavigate } from "../../shell/router.ts";
import { WriteButton } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { useFailureToast, useToast } from "../../ui/toast.tsx";

interface EnabledButtonProps {
  readonly endpoint: WebhookEndpoint;
  readonly onEnabled: () => void;
  /**
   * Called when the user clicks "Disable". Must ask the user to confirm, because disabling an
   * endpoint fails its pending deliveries.
   */
  readonly onDisable: () => void;
}

/**
 * A button that enables a disabled endpoint, or calls `onDisable` for an enabled one. One button
 * does both, so that it keeps the focus. After it has enabled the endpoint or failed to, shows the
 * result in a toast and calls `onEnabled`.
 */
export function EnabledButton({ endpoint, onEnabled, onDisable }: EnabledButtonProps) {
  const toast = useToast();
  const toastFailure = useFailureToast();
  const enable = useAction((api, id: string) =>
    api
      .send<unknown>("PATCH", `webhook_endpoints/${id}`, { body: { enabled: true } })
      .catch(apiErrorOf),
  );
  const click = async (): Promise<void> => {
    if (endpoint.enabled) return onDisable();
    const answer = await enable.run(endpoint.id);
    if (answer instanceof ApiError) toastFailure(answer);
    else if (answer !== undefined) toast("The endpoint is enabled.");
    return onEnabled();
  };
  return (
    <WriteButton busy={enable.busy} onClick={() => void click()}>
      {endpoint.enabled ? "Disable" : "Enable"}
    </WriteButton>
  );
}

interface StateDialogProps {
  readonly endpoint: WebhookEndpoint;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/**
 * Asks the user to confirm, and disables a webhook endpoint. Then calls `onChanged` and `onClose`.
 * If the call fails, shows the error and stays open.
 */
export function DisableDialog({ endpoint, onChanged, onClose }: StateDialogProps) {
  const toast = useToast();
  const disable = useAction((api, id: string) =>
    api.send("PATCH", `webhook_endpoints/${id}`, { body: { enabled: false } }),
  );
  const confirm = async (): Promise<void> => {
    if ((await disable.run(endpoint.id)) === undefined) return;
    toast("The endpoint is disabled.");
    onChanged();
    onClose();
  };
  return (
    <ConfirmDialog
      title="Disable this endpoint?"
      confirm="Disable"
      danger={false}
      busy={disable.busy}
      error={disable.error}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>
        Pending deliveries fail, and the endpoint receives nothing until you enable it again. You
        can then recover the events that it missed.
      </p>
    </ConfirmDialog>
  );
}

/**
 * Asks the user to confirm, deletes a webhook endpoint, and shows the page of all endpoints. If the
 * call fails, shows the error and stays open. Calls `onClose` if the user cancels.
 */
export function DeleteEndpointDialog({ endpoint, onClose }: Omit<StateDialogProps, "onChanged">) {
  const toast = useToast();
  const navigate = useNavigate();
  const remove = useAction((api, id: string) => api.send("DELETE", `webhook_endpoints/${id}`));
  const confirm = async (): Promise<void> => {
    if ((await remove.run(endpoint.id)) === undefined) return;
    toast("The endpoint was deleted.");
    navigate(linkTo("/webhooks"));
  };
  return (
    <ConfirmDialog
      title="Delete this endpoint?"
      confirm="Delete endpoint"
      busy={remove.busy}
      error={remove.error}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p class="endpoint-url">
        <code>{endpoint.url}</code> will receive no more events. This cannot be undone. The delivery
        log remains.
      </p>
    </ConfirmDialog>
  );
}
