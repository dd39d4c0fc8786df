import { Page } from "../shell/page.tsx";
import { LinkButton } from "../ui/button.tsx";
import { EmptyState } from "../ui/states.tsx";

export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <EmptyState
        title="There is no page at this address."
        action={<LinkButton href="#/overview">To the overview</LinkButton>}
      />
    </Page>
  );
}
