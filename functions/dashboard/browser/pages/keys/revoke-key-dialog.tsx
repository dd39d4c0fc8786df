import type { ApiKey } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Name } from "../../ui/name.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { useToast } from "../../ui/toast.tsx";

interface RevokeKeyDialogProps {
  readonly apiKey: ApiKey;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}

/**
 * Asks the user to confirm, and revokes an API key. Then calls `onRevoked` and `onClose`. If the
 * call fails, shows the error and stays open.
 */
export function RevokeKeyDialog({ apiKey, onRevoked, onClose }: RevokeKeyDialogProps) {
  const toast = useToast();
  const revoke = useAction((api, id: string) => api.send("DELETE", `api_keys/${id}`));
  const confirm = async (): Promise<void> => {
    if ((await revoke.run(apiKey.id)) === undefined) return;
    toast(
      <>
        The key “<Name>{apiKey.name}</Name>” was revoked.
      </>,
    );
    onRevoked();
    onClose();
  };
  return (
    <ConfirmDialog
      title={
        <>
          Revoke “<Name>{apiKey.name}</Name>”?
        </>
      }
      confirm="Revoke key"
      busy={revoke.busy}
      error={revoke.error}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>
        The service will refuse calls with <code>{apiKey.prefix}…</code>. This cannot be undone.
      </p>
      <p class="muted">
        Last used: <RelativeTime time={apiKey.last_used_at} />
      </p>
    </ConfirmDialog>
  );
}
