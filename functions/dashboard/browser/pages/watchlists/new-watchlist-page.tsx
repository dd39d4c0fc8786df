import { Page } from "../../shell/page.tsx";
import { EmptyState } from "../../ui/states.tsx";

export function NewWatchlistPage() {
  return (
    <Page title="New watchlist">
      <EmptyState title="This page is being built." />
    </Page>
  );
}
