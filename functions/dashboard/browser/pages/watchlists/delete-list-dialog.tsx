import type { Watchlist } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { formatCount } from "../../format/numbers.ts";
import { useNavigate } from "../../shell/router.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Name } from "../../ui/name.tsx";
import { useToast } from "../../ui/toast.tsx";

interface DeleteListDialogProps {
  readonly list: Watchlist;
  readonly onClose: () => void;
}

/**
 * Asks the user to confirm, deletes a watchlist, and shows the page of all watchlists. If the call
 * fails, shows the error and stays open. Calls `onClose` if the user cancels.
 */
export function DeleteListDialog({ list, onClose }: DeleteListDialogProps) {
  const toast = useToast();
  const navigate = useNavigate();
  const remove = useAction((api, id: string) => api.send("DELETE", `watchlists/${id}`));
  const confirm = async (): Promise<void> => {
    if ((await remove.run(list.id)) === undefined) return;
    toast(
      <>
        “<Name>{list.name}</Name>” was deleted.
      </>,
    );
    navigate("#/watchlists");
  };
  return (
    <ConfirmDialog
      title={
        <>
          Delete “<Name>{list.name}</Name>”?
        </>
      }
      confirm="Delete watchlist"
      busy={remove.busy}
      error={remove.error}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>
        Also deletes its {formatCount(list.item_count)} {list.item_count === 1 ? "item" : "items"}{" "}
        and its run history. This cannot be undone.
      </p>
      {list.last_run_status === "running" && (
        <p class="muted">The run in progress finishes, but sends no webhooks.</p>
      )}
    </ConfirmDialog>
  );
}
