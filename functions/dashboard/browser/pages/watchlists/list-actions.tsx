import { useState } from "preact/hooks";
import type { Watchlist, WatchlistRun } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { WriteButton } from "../../ui/button.tsx";
import { PauseIcon, PlayIcon, RefreshIcon, TrashIcon } from "../../ui/icons.tsx";
import { ErrorState } from "../../ui/states.tsx";
import { useToast } from "../../ui/toast.tsx";
import { DeleteListDialog } from "./delete-list-dialog.tsx";

interface ListActionsProps {
  readonly list: Watchlist;
  readonly onChanged: () => void;
}

/**
 * Buttons that run a watchlist, pause or resume it, and delete it. Calls `onChanged` after a
 * change.
 */
export function ListActions({ list, onChanged }: ListActionsProps) {
  const toast = useToast();
  const [isDeleting, setDeleting] = useState(false);
  const isPaused = list.status === "paused";
  const run = useAction((api, id: string) =>
    api.send<WatchlistRun>("POST", `watchlists/${id}/run`),
  );
  const change = useAction((api, status: Watchlist["status"]) =>
    api.send<Watchlist>("PATCH", `watchlists/${list.id}`, { body: { status } }),
  );
  // Only the error of the last action is shown.
  const runNow = async (): Promise<void> => {
    change.reset();
    if ((await run.run(list.id)) !== undefined) toast("The run has started.");
    onChanged();
  };
  const togglePause = async (): Promise<void> => {
    run.reset();
    const changed = await change.run(isPaused ? "active" : "paused");
    if (changed === undefined) return;
    toast(
      changed.status === "paused" ? "The watchlist is paused." : "The watchlist is active again.",
    );
    onChanged();
  };
  const error = run.error ?? change.error;
  return (
    <>
      <WriteButton
        spends
        variant="primary"
        busy={run.busy}
        disabledReason={runObstacle(list)}
        onClick={() => void runNow()}
      >
        <RefreshIcon />
        Run now
      </WriteButton>
      <WriteButton spends busy={change.busy} onClick={() => void togglePause()}>
        {isPaused ? <PlayIcon /> : <PauseIcon />}
        {isPaused ? "Resume" : "Pause"}
      </WriteButton>
      <WriteButton label="Delete watchlist" onClick={() => setDeleting(true)}>
        <TrashIcon />
        Delete
      </WriteButton>
      {error && (
        <div class="action-error">
          <ErrorState error={error} />
        </div>
      )}
      {isDeleting && <DeleteListDialog list={list} onClose={() => setDeleting(false)} />}
    </>
  );
}

/** Returns the reason why the service would refuse a run now; undefined if a run can start. */
function runObstacle({ last_run_status: last, item_count: items }: Watchlist): string | undefined {
  if (last === "running") return "A run is in progress. Wait until it ends.";
  if (last === "held") return "The last run is held. Release or discard it first.";
  return items === 0 ? "The watchlist has no items. Add items, then run it." : undefined;
}
