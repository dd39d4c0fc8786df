import { useMemo, useState } from "preact/hooks";
import type {
  Watchlist,
  WebhookDeliveryWithAttempts,
  WebhookEndpoint,
} from "../../api/resources.ts";
import { formatCount } from "../../format/numbers.ts";
import { linkTo } from "../../shell/router.ts";
import { Button } from "../../ui/button.tsx";
import { eventBodyOf, type ItemsEvent } from "./event-body.ts";
import { EventItem } from "./event-item.tsx";
import { receiverSentence, runSentence } from "./event-words.ts";

interface DeliveryEventProps {
  readonly delivery: WebhookDeliveryWithAttempts;
  /** The watchlist of the event; undefined for a test and for a deleted watchlist. */
  readonly list: Watchlist | undefined;
  /** The endpoint of the delivery; undefined if it was deleted. */
  readonly endpoint: WebhookEndpoint | undefined;
}

/** Shows why an event was sent: its items with their changes and rules, or the run that ended. */
export function DeliveryEvent(props: DeliveryEventProps) {
  const { delivery } = props;
  const isTest = delivery.run_id === null;
  return (
    <section class="delivery-event" aria-labelledby="why-sent">
      <h3 id="why-sent">Why this event was sent</h3>
      {isTest && <p>A user sent this test. Its values are invented.</p>}
      {delivery.request_body === null ? (
        <p class="muted">
          The event is older than 30 days, so its items and its request are no longer stored.
        </p>
      ) : (
        <Content {...props} text={delivery.request_body} />
      )}
      {!isTest && <p class="small muted">{receiverSentence(props)}</p>}
    </section>
  );
}

/** Shows the items of an event, or the result of its run. */
function Content({ delivery, list, text }: DeliveryEventProps & { readonly text: string }) {
  const { items, run } = useMemo(() => eventBodyOf(text), [text]);
  if (run !== undefined && delivery.run_id !== null) {
    return (
      <p>
        {runSentence(run)} Each run sends this event when it ends.{" "}
        {list && <a href={linkTo(`/watchlists/${list.id}`, { tab: "runs" })}>Runs</a>}
      </p>
    );
  }
  if (items === undefined) return null;
  return (
    <>
      <Items
        event={items}
        type={delivery.event_type}
        list={list}
        isTest={delivery.run_id === null}
      />
      {list !== undefined && list.updated_at > delivery.created_at && (
        <p class="small muted">
          The settings of the watchlist were changed after this event. The rules shown here are the
          current ones.
        </p>
      )}
    </>
  );
}

/** The number of items that are shown at first. An event can have 500. */
const shownFirst = 10;

interface ItemsProps {
  readonly event: ItemsEvent;
  readonly type: string;
  readonly list: Watchlist | undefined;
  readonly isTest: boolean;
}

function Items({ event, type, list, isTest }: ItemsProps) {
  const { entries, runNumber, part, parts } = event;
  const [isAll, setAll] = useState(false);
  const shown = isAll ? entries : entries.slice(0, shownFirst);
  return (
    <>
      {!isTest && (
        <p class="muted">
          Run {formatCount(runNumber)} reported {formatCount(entries.length)}{" "}
          {entries.length === 1 ? "item" : "items"} in this event
          {parts > 1 && `, part ${formatCount(part)} of ${formatCount(parts)}`}.
        </p>
      )}
      <ul class="event-items" role="list" aria-label="Items of the event">
        {shown.map((entry, n) => (
          <EventItem
            key={`${entry.id} ${n}`}
            entry={entry}
            type={type}
            list={list}
            currency={event.currency}
            isTest={isTest}
          />
        ))}
      </ul>
      {shown.length < entries.length && (
        <p>
          <Button small onClick={() => setAll(true)}>
            Show all {formatCount(entries.length)} items
          </Button>
        </p>
      )}
    </>
  );
}
