import { Page } from "../../shell/page.tsx";
import { EmptyState } from "../../ui/states.tsx";

export function ExportsPage() {
  return (
    <Page title="S3 export">
      <EmptyState title="This page is being built." />
    </Page>
  );
}
