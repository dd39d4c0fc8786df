import type { ComponentType } from "preact";
import type { Section } from "../shell/sections.ts";
import { matchPath } from "../shell/router.ts";
import type { PageProps, ShownPage } from "../shell/shown-page.ts";
import { ChangesPage } from "./changes/changes-page.tsx";
import { ExportsPage } from "./exports/exports-page.tsx";
import { KeysPage } from "./keys/keys-page.tsx";
import { NotFoundPage } from "./not-found-page.tsx";
import { OverviewPage } from "./overview/overview-page.tsx";
import { SourcesPage } from "./sources/sources-page.tsx";
import { StockPage } from "./stock/stock-page.tsx";
import { TryPage } from "./try/try-page.tsx";
import { ItemPage } from "./watchlists/item-page.tsx";
import { NewWatchlistPage } from "./watchlists/new-watchlist-page.tsx";
import { WatchlistPage } from "./watchlists/watchlist-page.tsx";
import { WatchlistsPage } from "./watchlists/watchlists-page.tsx";
import { WebhookPage } from "./webhooks/webhook-page.tsx";
import { WebhooksPage } from "./webhooks/webhooks-page.tsx";

interface Entry {
  readonly path: string;
  readonly section: Section;
  readonly page: ComponentType<PageProps>;
}

/** All pages. If two patterns match a path, the first page is shown. */
const pages: readonly Entry[] = [
  { path: "/changes", section: "changes", page: ChangesPage },
  { path: "/stock", section: "stock", page: StockPage },
  { path: "/overview", section: "overview", page: OverviewPage },
  { path: "/sources", section: "sources", page: SourcesPage },
  { path: "/keys", section: "keys", page: KeysPage },
  { path: "/watchlists", section: "watchlists", page: WatchlistsPage },
  { path: "/watchlists/new", section: "watchlists", page: NewWatchlistPage },
  { path: "/watchlists/{id}", section: "watchlists", page: WatchlistPage },
  { path: "/watchlists/{id}/items/{item}", section: "watchlists", page: ItemPage },
  { path: "/webhooks", section: "webhooks", page: WebhooksPage },
  { path: "/webhooks/{id}", section: "webhooks", page: WebhookPage },
  { path: "/exports", section: "exports", page: ExportsPage },
  { path: "/try", section: "try", page: TryPage },
];

/** Returns the page for a path, with its parameters. Returns NotFoundPage for an unknown path. */
export function findPage(path: string): ShownPage {
  for (const { path: pattern, section, page } of pages) {
    const parameters = matchPath(pattern, path);
    if (parameters !== undefined) return { page, section, parameters };
  }
  return { page: NotFoundPage, section: undefined, parameters: {} };
}
