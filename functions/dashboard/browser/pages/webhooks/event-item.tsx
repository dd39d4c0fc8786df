import type { Watchlist } from "../../api/resources.ts";
import { linkTo } from "../../shell/router.ts";
import type { EventEntry } from "./event-body.ts";
import { rulesBehind } from "./event-rules.ts";
import { changeLines, ruleSentence, valuesLine } from "./event-words.ts";

interface EventItemProps {
  readonly entry: EventEntry;
  /** The type of the event. */
  readonly type: string;
  /** The watchlist of the event, with the pipeline that sent it; undefined if it was deleted. */
  readonly list: Pick<Watchlist, "id" | "pipeline"> | undefined;
  readonly currency: string;
  /** True for the invented item of a test event, which no rule reported. */
  readonly isTest: boolean;
  /** A text below the name, such as the run of the event. */
  readonly note?: string;
}

/** Shows an item of an event: its name, what changed, and the rule that reported it. */
export function EventItem({ entry, type, list, currency, isTest, note }: EventItemProps) {
  const { id, label, title } = entry;
  const [name = id, ...others] = [label, title, id, note].filter((text) => text !== undefined);
  const values = valuesLine(entry, currency);
  return (
    <li class="event-item">
      <span class="two-lines">
        {list === undefined ? (
          <strong>{name}</strong>
        ) : (
          <a href={linkTo(`/watchlists/${list.id}/items/${id}`)}>{name}</a>
        )}
        {others.length > 0 && <span class="muted small">{others.join(" · ")}</span>}
      </span>
      {changeLines(entry, currency).map((line) => (
        <span key={line} class="event-change">
          {line}
        </span>
      ))}
      {entry.changes === undefined && values !== "" && (
        <span>
          {type === "watchlist.product.delisted" ? "Last known values" : "Values"}: {values}
        </span>
      )}
      {!isTest && (
        <span class="small">
          {ruleSentence(entry, type, list && rulesBehind(entry, type, list.pipeline))}
        </span>
      )}
    </li>
  );
}
