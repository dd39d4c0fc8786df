import { useAction } from "../../api/use-action.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { useToast } from "../../ui/toast.tsx";

interface DeleteDestinationDialogProps {
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

/**
 * Asks the user to confirm, and deletes the S3 destination. Then calls `onDeleted` and `onClose`.
 * Calls only `onClose` if the user cancels. If the deletion fails, shows the error and stays open.
 */
export function DeleteDestinationDialog({ onDeleted, onClose }: DeleteDestinationDialogProps) {
  const toast = useToast();
  const remove = useAction((api) => api.send("DELETE", "s3_destination"));
  const confirm = async (): Promise<void> => {
    if ((await remove.run(undefined)) === undefined) return;
    toast("The destination was deleted.");
    onDeleted();
    onClose();
  };
  return (
    <ConfirmDialog
      title="Delete the destination?"
      confirm="Delete destination"
      busy={remove.busy}
      error={remove.error}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>
        Pending exports are canceled, and the credentials are deleted. Files in your bucket stay.
      </p>
    </ConfirmDialog>
  );
}
