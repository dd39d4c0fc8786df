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

/** Whichever dialog of an endpoint is open. */
export function EndpointDialogs({ open, ...props }: EndpointDialogsProps) {
  const { endpoint, onChanged, onClose } = props;
  switch (open) {
    case undefined:
      return null;
    case "edit":
      return <EditEndpointDialog {...props} />;
    case "disable":
      return <DisableDialog {...props} />;
    case "rotate":
      return <RotateDialog endpoint={endpoint} onRotated={onChanged} onClose={onClose} />;
    case "recover":
      return <RecoverDialog endpointId={endpoint.id} onRecovered={onChanged} onClose={onClose} />;
    case "delete":
      return <DeleteEndpointDialog endpoint={endpoint} onClose={onClose} />;
  }
}
