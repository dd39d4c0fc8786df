import type { ComponentChildren } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { WarningIcon } from "../ui/icons.tsx";
import { Page } from "./page.tsx";

/** A page, or, once it has thrown, a word about that: nothing else would be shown in its place. */
export function PageBoundary({ children }: { readonly children: ComponentChildren }) {
  const [thrown] = useErrorBoundary((error: unknown) => reportError(error));
  if (thrown === undefined) return <>{children}</>;
  return (
    <Page title="This page stopped working">
      <div class="notice notice-bad" role="alert">
        <WarningIcon />
        <div>
          <p>
            Something on it could not be shown. What the service keeps is as it was; what you were
            entering is lost.
          </p>
        </div>
        <Button small onClick={() => location.reload()}>
          Reload
        </Button>
      </div>
    </Page>
  );
}
