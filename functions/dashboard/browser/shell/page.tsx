import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { ChevronLeftIcon } from "../ui/icons.tsx";

interface PageProps {
  readonly title: string;
  /** A short description, shown below the title. */
  readonly lead?: ComponentChildren;
  /** Buttons for actions that concern the whole page. */
  readonly actions?: ComponentChildren;
  /** A link to the parent page. */
  readonly back?: { readonly href: string; readonly label: string };
  readonly children: ComponentChildren;
}

/**
 * The frame of every page. Shows the heading, which receives the focus after a navigation, and sets
 * the title of the browser tab.
 */
export function Page({ title, lead, actions, back, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Dashboard`;
  }, [title]);
  return (
    <>
      <div class="page-head">
        <div class="page-title">
          {back && (
            <a class="page-back" href={back.href}>
              <ChevronLeftIcon />
              {back.label}
            </a>
          )}
          <h1 tabIndex={-1}>{title}</h1>
          {lead !== undefined && <p class="muted">{lead}</p>}
        </div>
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </div>
      <div class="page-body">{children}</div>
    </>
  );
}
