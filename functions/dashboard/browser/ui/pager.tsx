import type { Pages } from "../api/use-pages.ts";
import { Button } from "./button.tsx";

/**
 * Shows a button that loads the next page of a listing, and the number of entries shown. Shows
 * nothing after the last page.
 */
export function Pager({ pages }: { readonly pages: Pages<unknown> }) {
  if (!pages.hasMore) return null;
  return (
    <div class="pager">
      <Button busy={pages.loadingMore} onClick={pages.loadMore}>
        Load more
      </Button>
      <span class="muted small number" role="status">
        {pages.entries?.length ?? 0} shown
      </span>
    </div>
  );
}
