import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import type { ApiError } from "../api/api-error.ts";
import { Button } from "./button.tsx";
import { CloseIcon } from "./icons.tsx";
import { ErrorState } from "./states.tsx";

interface DialogProps {
  readonly title: string;
  /** Asked for by Esc, by the cross, and by a click beside the dialog. */
  readonly onClose: () => void;
  /** False where closing by accident would lose something, such as a secret shown once. */
  readonly dismissable?: boolean;
  readonly children: ComponentChildren;
}

/** Open for as long as it is rendered. The browser keeps the focus inside, and gives it back. */
export function Dialog({ title, onClose, dismissable = true, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (dismissable) onClose();
      }}
      onClose={() => {
        // A browser may close a dialog that asked it not to.
        if (dismissable) onClose();
        else dialog.current?.showModal();
      }}
      onMouseDown={(event) => {
        if (dismissable && event.target === dialog.current) onClose();
      }}
    >
      <div class="dialog-body">
        <div class="dialog-head">
          <h2 id={id}>{title}</h2>
          {dismissable && (
            <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
              <CloseIcon />
            </button>
          )}
        </div>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmDialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** The verb: `Revoke key`. */
  readonly confirm: string;
  readonly danger?: boolean;
  readonly busy?: boolean;
  readonly error?: ApiError | undefined;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be taken back. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, confirm, danger = true, busy = false, error } = props;
  return (
    <Dialog title={title} onClose={props.onClose}>
      <div class="dialog-text">{children}</div>
      {error && <ErrorState error={error} />}
      <div class="dialog-actions">
        <Button onClick={props.onClose}>Cancel</Button>
        <Button variant={danger ? "danger" : "primary"} busy={busy} onClick={props.onConfirm}>
          {confirm}
        </Button>
      </div>
    </Dialog>
  );
}
