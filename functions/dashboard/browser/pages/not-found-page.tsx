import { Page } from "../shell/page.tsx";
import { LinkButton } from "../ui/button.tsx";
import { EmptyState } from "../ui/states.tsx";

/** The page for unknown addresses. */
export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <EmptyState
        title="This page does not exist."
        action={<LinkButton href="#/overview">Go to the overview</LinkButton>}
      />
    </Page>
  );
}
