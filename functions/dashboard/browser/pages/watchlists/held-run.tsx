import { useState } from "preact/hooks";
import { formatCount } from "../../format/numbers.ts";
import type { Watchlist, WatchlistRun } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { WriteButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { ErrorState } from "../../ui/states.tsx";
import { useToast } from "../../ui/toast.tsx";
import { DiscardDialog } from "./discard-dialog.tsx";
import { brakeSentence } from "./run-words.ts";

interface HeldRunProps {
  readonly list: Watchlist;
  readonly run: WatchlistRun;
  readonly onDecided: () => void;
}

/**
 * Shows why the newest run of a watchlist is held, with buttons that release and discard it. Calls
 * `onDecided` after a decision. Shows the error of a refused decision.
 */
export function HeldRun({ list, run, onDecided }: HeldRunProps) {
  const toast = useToast();
  const [isDiscarding, setDiscarding] = useState(false);
  const release = useAction((api, number: number) =>
    api.send<WatchlistRun>("POST", `watchlists/${list.id}/runs/${number}/release`),
  );
  const releaseRun = async (): Promise<void> => {
    if ((await release.run(run.run_number)) === undefined) return;
    toast(`Run ${formatCount(run.run_number)} is released. Its events are sent now.`);
    onDecided();
  };
  return (
    <Card
      title={`Run ${formatCount(run.run_number)} is held`}
      actions={
        <span class="muted small">
          discarded automatically <RelativeTime time={run.brake?.expires_at ?? null} />
        </span>
      }
    >
      <p role="status">{brakeSentence(run)}</p>
      <p class="muted">
        Its events wait, and the watchlist does not run, until you decide. If the values are right,
        release the run. If the source returned wrong values, discard the run: its items return to
        their state before the run. The credits stay charged.
      </p>
      {release.error && <ErrorState error={release.error} />}
      <div class="row">
        <WriteButton spends variant="primary" busy={release.busy} onClick={() => void releaseRun()}>
          Release
        </WriteButton>
        <WriteButton
          disabledReason={release.busy ? "The run is being released." : undefined}
          onClick={() => setDiscarding(true)}
        >
          Discard
        </WriteButton>
      </div>
      {isDiscarding && (
        <DiscardDialog
          list={list}
          run={run}
          onDiscarded={onDecided}
          onClose={() => setDiscarding(false)}
        />
      )}
    </Card>
  );
}
