import type { Watchlist, WatchlistItem, WatchlistItemChange } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { formatCount } from "../../format/numbers.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { useToast } from "../../ui/toast.tsx";

interface RemoveItemsDialogProps {
  readonly list: Watchlist;
  readonly items: readonly WatchlistItem[];
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/**
 * Asks the user to confirm, and removes the selected items from the watchlist. Then calls
 * `onChanged` and `onClose`. If the call fails, shows the error and stays open.
 */
export function RemoveItemsDialog({ list, items, onChanged, onClose }: RemoveItemsDialogProps) {
  const toast = useToast();
  const remove = useAction((api) =>
    api.send<WatchlistItemChange>("POST", `watchlists/${list.id}/items`, {
      body: { remove: items.map(({ id }) => id) },
    }),
  );
  const confirm = async (): Promise<void> => {
    const done = await remove.run(undefined);
    if (done === undefined) return;
    toast(`${formatCount(done.removed)} removed`);
    onChanged();
    onClose();
  };
  const count = `${formatCount(items.length)} ${items.length === 1 ? "item" : "items"}`;
  return (
    <ConfirmDialog
      title={`Remove ${count}`}
      confirm={`Remove ${count}`}
      busy={remove.busy}
      error={remove.error}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>
        The service stops reading these items. Their history stays until you delete the watchlist.
      </p>
    </ConfirmDialog>
  );
}
