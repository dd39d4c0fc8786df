import { Page } from "../../shell/page.tsx";
import { EmptyState } from "../../ui/states.tsx";

export function WatchlistsPage() {
  return (
    <Page title="Watchlists">
      <EmptyState title="This page is being built." />
    </Page>
  );
}
