import { type ComponentChildren, createContext } from "preact";
import { useCallback, useContext, useState } from "preact/hooks";
import { CloseIcon } from "./icons.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
}

type ShowToast = (text: string) => void;
const ToastContext = createContext<ShowToast>(() => {});

/** Says that something was done: shown for some seconds, and read out. Errors stand where they are. */
export const useToast = (): ShowToast => useContext(ToastContext);

const shownMilliseconds = 6_000;
let toasts = 0;

export function ToastRegion({ children }: { readonly children: ComponentChildren }) {
  const [shown, setShown] = useState<readonly Toast[]>([]);
  const hide = (id: number): void => setShown((all) => all.filter((toast) => toast.id !== id));
  const show = useCallback<ShowToast>((text) => {
    toasts += 1;
    const id = toasts;
    setShown((all) => [...all, { id, text }]);
    setTimeout(() => hide(id), shownMilliseconds);
  }, []);
  return (
    <ToastContext.Provider value={show}>
      {children}
      <div class="toasts" role="status" aria-live="polite">
        {shown.map(({ id, text }) => (
          <div key={id} class="toast">
            <span>{text}</span>
            <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => hide(id)}>
              <CloseIcon />
            </button>
          </div>
        ))}
      </div>
    </ToastContext.Provider>
  );
}
