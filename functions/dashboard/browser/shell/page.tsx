import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { ChevronLeftIcon } from "../ui/icons.tsx";

interface PageProps {
  readonly title: string;
  /** One sentence below the title. */
  readonly lead?: ComponentChildren;
  /** What one can do with all that the page is about. */
  readonly actions?: ComponentChildren;
  /** The page that this one is part of. */
  readonly back?: { readonly href: string; readonly label: string };
  readonly children: ComponentChildren;
}

/** The frame of every page: its heading, which takes the focus, and the title of the tab. */
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
