import { Page } from "../../shell/page.tsx";
import { EmptyState } from "../../ui/states.tsx";

export function WebhooksPage() {
  return (
    <Page title="Webhooks">
      <EmptyState title="This page is being built." />
    </Page>
  );
}
