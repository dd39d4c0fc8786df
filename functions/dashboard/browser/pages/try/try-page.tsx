import { Page } from "../../shell/page.tsx";
import { EmptyState } from "../../ui/states.tsx";

export function TryPage() {
  return (
    <Page title="Try it">
      <EmptyState title="This page is being built." />
    </Page>
  );
}
