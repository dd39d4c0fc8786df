import { Page } from "../../shell/page.tsx";
import { EmptyState } from "../../ui/states.tsx";

export function WebhookPage() {
  return (
    <Page title="Webhook endpoint">
      <EmptyState title="This page is being built." />
    </Page>
  );
}
