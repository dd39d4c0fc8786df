import { useState } from "preact/hooks";
import { formatCount } from "../../format/numbers.ts";
import type { Watchlist, WatchlistRun } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { useToast } from "../../ui/toast.tsx";

interface DiscardDialogProps {
  readonly list: Watchlist;
  readonly run: WatchlistRun;
  readonly onDiscarded: () => void;
  readonly onClose: () => void;
}

/**
 * Asks for a reason, and discards a held run. Then calls `onClose` and `onDiscarded`. If the call
 * fails, shows the error and stays open.
 */
export function DiscardDialog({ list, run, onDiscarded, onClose }: DiscardDialogProps) {
  const toast = useToast();
  const [reason, setReason] = useState("");
  const discard = useAction((api, body: { reason?: string }) =>
    api.send<WatchlistRun>("POST", `watchlists/${list.id}/runs/${run.run_number}/discard`, {
      body,
    }),
  );
  const confirm = async (): Promise<void> => {
    const text = reason.trim();
    if ((await discard.run(text === "" ? {} : { reason: text })) === undefined) return;
    toast(
      `Run ${formatCount(run.run_number)} is discarded. Its items return to their state before the run.`,
    );
    onClose();
    onDiscarded();
  };
  const { error } = discard;
  const reasonError = error?.param === "reason" ? error.message : undefined;
  return (
    <ConfirmDialog
      title={`Discard run ${formatCount(run.run_number)}?`}
      confirm="Discard run"
      busy={discard.busy}
      error={reasonError === undefined ? error : undefined}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>
        The service never sends the events of this run, and the history does not show the run. The
        credits stay charged. This cannot be undone.
      </p>
      <Field
        label="Reason"
        hint="The run and its last event contain the reason."
        error={reasonError}
        optional
      >
        {(control) => (
          <textarea
            {...control}
            rows={3}
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        )}
      </Field>
    </ConfirmDialog>
  );
}
