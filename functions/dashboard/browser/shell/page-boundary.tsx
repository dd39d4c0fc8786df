import type { ComponentChildren } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { WarningIcon } from "../ui/icons.tsx";
import { Page } from "./page.tsx";

/**
 * Shows a page. If the page throws an error, shows an error message instead, because the page would
 * otherwise be blank.
 */
export function PageBoundary({ children }: { readonly children: ComponentChildren }) {
  const [thrown] = useErrorBoundary((error: unknown) => reportError(error));
  if (thrown === undefined) return <>{children}</>;
  return (
    <Page title="This page stopped working">
      <div class="notice notice-bad" role="alert">
        <WarningIcon />
        <div>
          <p>
            This page could not be displayed. Your data in the service is unchanged, but input that
            you did not save is lost. Reload the page.
          </p>
        </div>
        <Button small onClick={() => location.reload()}>
          Reload
        </Button>
      </div>
    </Page>
  );
}
