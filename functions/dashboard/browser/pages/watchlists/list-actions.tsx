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

/** What can be done with a list as a whole. */
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
  // One error is shown: that of what was done last.
  const runNow = async (): Promise<void> => {
    change.reset();
    if ((await run.run(list.id)) !== undefined) toast("The run has begun.");
    onChanged();
  };
  const togglePause = async (): Promise<void> => {
    run.reset();
    const changed = await change.run(isPaused ? "active" : "paused");
    if (changed === undefined) return;
    toast(changed.status === "paused" ? "The list is paused." : "The list runs again.");
    onChanged();
  };
  const error = run.error ?? change.error;
  return (
    <>
      <WriteButton
        variant="primary"
        busy={run.busy}
        disabledReason={runObstacle(list)}
        onClick={() => void runNow()}
      >
        <RefreshIcon />
        Run now
      </WriteButton>
      <WriteButton busy={change.busy} onClick={() => void togglePause()}>
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

/** Why the service would refuse a run now; undefined when it would not. */
function runObstacle({ last_run_status: last, item_count: items }: Watchlist): string | undefined {
  if (last === "running") return "A run is in progress.";
  return items === 0 ? "The watchlist has no items." : undefined;
}
