import { useEffect } from "preact/hooks";

/**
 * Moves the focus when the focused element inside `main` is removed, such as the row of a revoked
 * key. The focus moves to the nearest focusable ancestor, or else to the page's heading. Browsers
 * would move it to the document body. Does nothing while `main` is null.
 */
export function useKeptFocus(main: HTMLElement | null): void {
  useEffect(() => {
    if (main === null) return undefined;
    /** The focused element and its ancestors below `main`. */
    let path: readonly HTMLElement[] = [];
    const follow = ({ target }: FocusEvent): void => {
      path = target instanceof HTMLElement ? pathOf(target, main) : [];
    };
    const forget = (): void => {
      // A browser also sends `focusout` when it removes the focused element. The microtask runs
      // after the event was handled. Only then can it check whether the element was removed or the
      // user moved the focus.
      queueMicrotask(() => {
        if (path[0]?.isConnected && path[0] !== document.activeElement) path = [];
      });
    };
    const restore = (): void => {
      if (path[0] === undefined || path[0].isConnected) return;
      if (document.activeElement !== document.body) return;
      const around = path.find((element) => element.isConnected && element.tabIndex >= 0);
      const next = around ?? main.querySelector<HTMLElement>("h1") ?? main;
      next.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(restore);
    observer.observe(main, { childList: true, subtree: true });
    main.addEventListener("focusin", follow);
    main.addEventListener("focusout", forget);
    return () => {
      observer.disconnect();
      main.removeEventListener("focusin", follow);
      main.removeEventListener("focusout", forget);
    };
  }, [main]);
}

function pathOf(target: HTMLElement, main: HTMLElement): readonly HTMLElement[] {
  const path: HTMLElement[] = [];
  let element: HTMLElement | null = target;
  for (; element !== null && element !== main; element = element.parentElement) path.push(element);
  return path;
}
