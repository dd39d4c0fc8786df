import { useAction } from "../../api/use-action.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { useToast } from "../../ui/toast.tsx";

interface DisableDialogProps {
  readonly onDisabled: () => void;
  readonly onClose: () => void;
}

export function DisableDialog({ onDisabled, onClose }: DisableDialogProps) {
  const toast = useToast();
  const disable = useAction((api) =>
    api.send("PATCH", "s3_destination", { body: { enabled: false } }),
  );
  const confirm = async (): Promise<void> => {
    if ((await disable.run(undefined)) === undefined) return;
    toast("The destination is disabled.");
    onDisabled();
    onClose();
  };
  return (
    <ConfirmDialog
      title="Disable the destination?"
      confirm="Disable"
      danger={false}
      busy={disable.busy}
      error={disable.error}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>
        Nothing is written until it is enabled again, and pending exports fail. You can backfill the
        time in between then.
      </p>
    </ConfirmDialog>
  );
}
