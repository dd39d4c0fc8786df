import { type ComponentChildren, createContext } from "preact";
import { useContext, useMemo, useState } from "preact/hooks";
import type { ApiError } from "../api/api-error.ts";
import { CloseIcon } from "./icons.tsx";
import { ErrorState } from "./states.tsx";

interface Toast {
  readonly id: number;
  readonly text: ComponentChildren;
}

interface Failure {
  readonly id: number;
  readonly error: ApiError;
}

type ShowToast = (text: ComponentChildren) => void;
type ShowFailure = (error: ApiError) => void;
const ToastContext = createContext<{ readonly show: ShowToast; readonly fail: ShowFailure }>({
  show: () => {},
  fail: () => {},
});

/** Returns a function that shows a message for six seconds and announces it to screen readers. */
export const useToast = (): ShowToast => useContext(ToastContext).show;

/**
 * Returns a function that shows an error until the user dismisses it. Use it for an action whose
 * page has no other place for the error.
 */
export const useFailureToast = (): ShowFailure => useContext(ToastContext).fail;

const shownMilliseconds = 6_000;
let toasts = 0;

/** Shows the toasts of the components inside it. */
export function ToastRegion({ children }: { readonly children: ComponentChildren }) {
  const [shown, setShown] = useState<readonly Toast[]>([]);
  const hide = (id: number): void => setShown((all) => all.filter((toast) => toast.id !== id));
  const [failed, setFailed] = useState<readonly Failure[]>([]);
  const forget = (id: number): void => setFailed((all) => all.filter((one) => one.id !== id));
  const value = useMemo(() => {
    const show: ShowToast = (text) => {
      toasts += 1;
      const id = toasts;
      setShown((all) => [...all, { id, text }]);
      setTimeout(() => hide(id), shownMilliseconds);
    };
    const fail: ShowFailure = (error) => {
      toasts += 1;
      const id = toasts;
      const isOther = (one: Failure): boolean => one.error.message !== error.message;
      setFailed((all) => [...all.filter(isOther), { id, error }]);
    };
    return { show, fail };
  }, []);
  return (
    <ToastContext.Provider value={value}>
      {children}
      <div class="toasts">
        {failed.map(({ id, error }) => (
          <div key={id} class="toast">
            <ErrorState error={error} />
            <Dismiss onClick={() => forget(id)} />
          </div>
        ))}
        <div class="toasts-done" role="status" aria-live="polite">
          {shown.map(({ id, text }) => (
            <div key={id} class="toast">
              <span>{text}</span>
              <Dismiss onClick={() => hide(id)} />
            </div>
          ))}
        </div>
      </div>
    </ToastContext.Provider>
  );
}

const Dismiss = ({ onClick }: { readonly onClick: () => void }) => (
  <button type="button" class="icon-button" aria-label="Dismiss" onClick={onClick}>
    <CloseIcon />
  </button>
);
