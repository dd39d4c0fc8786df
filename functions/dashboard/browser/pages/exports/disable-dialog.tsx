import { useAction } from "../../api/use-action.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { useToast } from "../../ui/toast.tsx";

interface DisableDialogProps {
  readonly onDisabled: () => void;
  readonly onClose: () => void;
}

/**
 * Asks the user to confirm, and disables the S3 destination. Then calls `onDisabled` and `onClose`.
 * If the call fails, shows the error and stays open.
 */
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
        Pending exports fail, and nothing is written until you enable the destination again. You can
        then backfill the runs that ended while it was disabled.
      </p>
    </ConfirmDialog>
  );
}
