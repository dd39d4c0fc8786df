import type { S3Backfill } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { type Span, SpanDialog } from "../../ui/span-dialog.tsx";
import { useToast } from "../../ui/toast.tsx";

interface BackfillDialogProps {
  readonly onStarted: () => void;
  readonly onClose: () => void;
}

/**
 * Asks the user for a time span, and starts a backfill of the runs in this span to the S3
 * destination. Then calls `onStarted` and `onClose`. If the call fails, shows the error and stays
 * open.
 */
export function BackfillDialog({ onStarted, onClose }: BackfillDialogProps) {
  const toast = useToast();
  const backfill = useAction((api, body: Span) =>
    api.send<S3Backfill>("POST", "s3_destination/backfill", { body }),
  );
  const confirm = async (span: Span): Promise<void> => {
    if ((await backfill.run(span)) === undefined) return;
    toast("The backfill has started.");
    onStarted();
    onClose();
  };
  return (
    <SpanDialog
      title="Backfill a time span"
      confirm="Backfill"
      busy={backfill.busy}
      error={backfill.error}
      onConfirm={(span) => void confirm(span)}
      onClose={onClose}
    >
      <p>Exports every run that ended in this time span, even if it was exported before.</p>
    </SpanDialog>
  );
}
