import { Page } from "../../shell/page.tsx";
import { EmptyState } from "../../ui/states.tsx";

export function WatchlistPage() {
  return (
    <Page title="Watchlist">
      <EmptyState title="This page is being built." />
    </Page>
  );
}
