import type { WebhookEndpoint } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { useToast } from "../../ui/toast.tsx";
import { EndpointDialog, type EndpointSettings } from "./endpoint-dialog.tsx";

interface EditEndpointDialogProps {
  readonly endpoint: WebhookEndpoint;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/**
 * A dialog that changes the settings of a webhook endpoint. After a save, calls `onChanged` and
 * `onClose`. If the call fails, shows the error and stays open.
 */
export function EditEndpointDialog({ endpoint, onChanged, onClose }: EditEndpointDialogProps) {
  const toast = useToast();
  const change = useAction((api, body: EndpointSettings) =>
    api.send("PATCH", `webhook_endpoints/${endpoint.id}`, { body }),
  );
  const submit = async (settings: EndpointSettings): Promise<void> => {
    if ((await change.run(settings)) === undefined) return;
    toast("The endpoint was saved.");
    onChanged();
    onClose();
  };
  return (
    <EndpointDialog
      title="Edit webhook endpoint"
      submit="Save"
      endpoint={endpoint}
      action={change}
      onSubmit={(settings) => void submit(settings)}
      onClose={onClose}
    />
  );
}
