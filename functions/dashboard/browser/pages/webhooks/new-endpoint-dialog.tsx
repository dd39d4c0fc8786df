import { useState } from "preact/hooks";
import type { WebhookEndpointWithSecret } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { useSecretLeaveQuestion } from "../../ui/leaving.ts";
import { EndpointDialog, type EndpointSettings } from "./endpoint-dialog.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

interface NewEndpointDialogProps {
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

/**
 * Asks the user for the settings of a webhook endpoint, and creates the endpoint. Then calls
 * `onCreated`, and shows the endpoint's secret. If the call fails, shows the error. Calls `onClose`
 * when the user closes the dialog.
 */
export function NewEndpointDialog({ onCreated, onClose }: NewEndpointDialogProps) {
  const [created, setCreated] = useState<WebhookEndpointWithSecret>();
  const create = useAction((api, body: EndpointSettings) =>
    api.send<WebhookEndpointWithSecret>("POST", "webhook_endpoints", { body }),
  );
  useSecretLeaveQuestion(create.busy);
  const submit = async (settings: EndpointSettings): Promise<void> => {
    const endpoint = await create.run(settings);
    if (endpoint === undefined) return;
    setCreated(endpoint);
    onCreated();
  };
  if (created !== undefined) return <SecretDialog endpoint={created} onClose={onClose} />;
  return (
    <EndpointDialog
      title="New webhook endpoint"
      submit="Create endpoint"
      action={create}
      onSubmit={(settings) => void submit(settings)}
      onClose={onClose}
    />
  );
}
