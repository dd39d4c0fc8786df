import { type ComponentChildren, createContext, type RefObject } from "preact";
import { useContext, useId, useLayoutEffect, useRef } from "preact/hooks";
import type { ApiError } from "../api/api-error.ts";
import { useLeaveQuestion } from "./leaving.ts";
import { Button } from "./button.tsx";
import { CloseIcon } from "./icons.tsx";
import { ErrorState } from "./states.tsx";

interface DialogProps {
  readonly title: ComponentChildren;
  /**
   * Called when the user presses Esc, the close button or `CancelButton`, or clicks outside the
   * dialog.
   */
  readonly onClose: () => void;
  /**
   * True while the dialog's request is in progress. The dialog then stays open, because only it
   * shows the result.
   */
  readonly busy?: boolean;
  /**
   * False for a value that is shown only once, such as a secret. Only a button then closes the
   * dialog, and the user must confirm before leaving the page.
   */
  readonly dismissable?: boolean;
  /** True for content that needs more width, such as a request. */
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

const CancelContext = createContext<{ readonly busy: boolean; readonly onClose: () => void }>({
  busy: false,
  onClose: () => {},
});

/**
 * A modal dialog, open while it is rendered. The browser keeps the focus inside the dialog and
 * restores it when the dialog closes.
 */
export function Dialog(props: DialogProps) {
  const { title, onClose, busy = false, dismissable = true, isWide = false, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const mayClose = dismissable && !busy;
  const close = (): void => {
    if (mayClose) onClose();
  };
  useModal(dialog);
  useLeaveQuestion(
    dismissable ? undefined : "This secret will not be shown again. Leave without copying it?",
  );
  return (
    <dialog
      ref={dialog}
      class={isWide ? "dialog dialog-wide" : "dialog"}
      aria-labelledby={id}
      // Without this attribute, some browsers close the dialog when the user presses Esc a second
      // time, without calling `onCancel`.
      closedby={mayClose ? "closerequest" : "none"}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClose={() => {
        // The browser sends this event with a delay. If the page has removed the dialog by then,
        // the dialog is already closed.
        if (dialog.current === null) return;
        // A browser that does not support `closedby` may close the dialog anyway, so it is opened
        // again.
        if (mayClose) onClose();
        else dialog.current.showModal();
      }}
      onMouseDown={(event) => {
        if (event.target !== dialog.current) return;
        // Closing the dialog returns the focus to the element that had it before the dialog opened.
        // The default action of the click would then move the focus again.
        event.preventDefault();
        close();
      }}
    >
      <div class="dialog-body">
        <div class="dialog-head">
          <h2 id={id}>{title}</h2>
          {dismissable && (
            <button
              type="button"
              class="icon-button"
              aria-label="Close"
              aria-disabled={busy ? "true" : undefined}
              onClick={close}
            >
              <CloseIcon />
            </button>
          )}
        </div>
        <CancelContext.Provider value={{ busy, onClose }}>{children}</CancelContext.Provider>
      </div>
    </dialog>
  );
}

/**
 * Shows a dialog and focuses its first field, or else its cancel button. Uses a layout effect, so
 * that no key press can reach the page behind the dialog.
 */
function useModal(dialog: RefObject<HTMLDialogElement | null>): void {
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    const find = (selector: string) => element?.querySelector<HTMLElement>(selector);
    (find("input, select, textarea") ?? find("[data-cancel]"))?.focus();
    return () => element?.close();
  }, [dialog]);
}

/** A button that closes the enclosing dialog without an action. */
export function CancelButton() {
  const { busy, onClose } = useContext(CancelContext);
  return (
    <Button
      isCancel
      disabledReason={busy ? "Wait until the request ends." : undefined}
      onClick={onClose}
    >
      Cancel
    </Button>
  );
}

interface ConfirmDialogProps {
  readonly title: ComponentChildren;
  readonly children: ComponentChildren;
  /** The label of the button that confirms, such as `Revoke key`. */
  readonly confirm: string;
  readonly danger?: boolean;
  readonly busy?: boolean;
  readonly error?: ApiError | undefined;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/**
 * Asks the user to confirm an action. Calls `onConfirm` or `onClose`, and shows `error`. Set
 * `danger` to false for an action that can be undone.
 */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, confirm, danger = true, busy = false, error } = props;
  return (
    <Dialog title={title} busy={busy} onClose={props.onClose}>
      <div class="dialog-text">{children}</div>
      {error && <ErrorState error={error} />}
      <div class="dialog-actions">
        <CancelButton />
        <Button variant={danger ? "danger" : "primary"} busy={busy} onClick={props.onConfirm}>
          {confirm}
        </Button>
      </div>
    </Dialog>
  );
}
