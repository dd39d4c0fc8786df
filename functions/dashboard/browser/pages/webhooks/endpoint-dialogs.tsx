import type { WebhookEndpoint } from "../../api/resources.ts";
import { EditEndpointDialog } from "./edit-endpoint-dialog.tsx";
import { DeleteEndpointDialog, DisableDialog } from "./endpoint-state.tsx";
import { RecoverDialog } from "./recover-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";

export type EndpointDialogName = "edit" | "disable" | "rotate" | "recover" | "delete";

interface EndpointDialogsProps {
  readonly open: EndpointDialogName | undefined;
  readonly endpoint: WebhookEndpoint;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** Shows the dialog with the name `open` for an endpoint. Shows nothing if `open` is undefined. */
export function EndpointDialogs({ open, ...props }: EndpointDialogsProps) {
  if (open === undefined) return null;
  const { endpoint, onChanged, onClose } = props;
  const dialogs = {
    edit: <EditEndpointDialog {...props} />,
    disable: <DisableDialog {...props} />,
    rotate: <RotateDialog endpoint={endpoint} onRotated={onChanged} onClose={onClose} />,
    recover: <RecoverDialog endpointId={endpoint.id} onRecovered={onChanged} onClose={onClose} />,
    delete: <DeleteEndpointDialog endpoint={endpoint} onClose={onClose} />,
  };
  return dialogs[open];
}
