import { linkTo } from "./router.ts";
import "./item-name.css";

interface ItemNameProps {
  readonly listId: string;
  readonly id: string;
  readonly label: string | null;
  readonly title: string | null;
  /** Address of the product page in the shop; null if it is not known. */
  readonly url: string | null;
}

/**
 * Shows the name of an item with a link to its page: its label, its title or its ID. Below the name
 * are the title (for an item with a label), the ID, and a link to the shop.
 */
export function ItemName({ listId, id, label, title, url }: ItemNameProps) {
  const name = label ?? title;
  return (
    <span class="item-name">
      <a href={linkTo(`/watchlists/${listId}/items/${id}`)}>{name ?? id}</a>
      {label !== null && title !== null && title !== label && <span class="small">{title}</span>}
      <span class="muted small">
        {name !== null && id}
        {url !== null && (
          <>
            {name !== null && " · "}
            <a href={url} target="_blank" rel="noreferrer noopener">
              shop
            </a>
          </>
        )}
      </span>
    </span>
  );
}

interface WatchlistNameProps {
  readonly id: string;
  readonly name: string;
  readonly platform: string;
}

/** The name of a watchlist with a link to its page, and its platform below it. */
export function WatchlistName({ id, name, platform }: WatchlistNameProps) {
  return (
    <span class="item-name">
      <a href={linkTo(`/watchlists/${id}`)}>{name}</a>
      <span class="muted small">{platform}</span>
    </span>
  );
}
