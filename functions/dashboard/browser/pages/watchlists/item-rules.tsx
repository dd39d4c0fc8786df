import type { Watchlist, WatchlistItem } from "../../api/resources.ts";
import type { Pages } from "../../api/use-pages.ts";
import { formatCount } from "../../format/numbers.ts";
import { linkTo } from "../../shell/router.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { Pager } from "../../ui/pager.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { EmptyState, ErrorState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { type EventDeliveries, undeliveredWords, useEventDeliveries } from "./event-deliveries.ts";
import type { ItemEvent } from "./item-events.ts";
import { delisted, type Rule, rulesOf } from "./rules.ts";

interface RulesCardProps {
  readonly item: WatchlistItem;
  readonly list: Watchlist;
  readonly events: Pages<ItemEvent>;
}

/**
 * Shows the rules that can report the item in events, each with the newest event that the
 * rule caused. Below them, shows the events about the item with their webhook deliveries.
 */
export function RulesCard({ item, list, events }: RulesCardProps) {
  const rules = rulesOf(list.pipeline);
  const found = events.entries ?? [];
  const deliveries = useEventDeliveries(list.id, found);
  return (
    <>
      <Card title="Rules" flush>
        <Table
          caption="Rules that report items of this watchlist"
          columns={ruleColumns(found, item)}
          rows={rules}
          rowKey={({ id }) => id}
          empty={<EmptyState title="No route of the pipeline reports items." />}
        />
      </Card>
      <Card title="Events about the item" flush>
        <Table
          caption="Events about the item"
          columns={eventColumns(deliveries.data)}
          rows={events.entries}
          rowKey={({ id }) => id}
          error={events.error}
          onRetry={events.refresh}
          empty={
            <EmptyState title={events.hasMore ? "No event found yet." : "No event found."}>
              The service keeps events for 30 days. The search reads the runs that changed the item.
            </EmptyState>
          }
        />
        {deliveries.error && <ErrorState error={deliveries.error} onRetry={deliveries.refresh} />}
        <Pager pages={events} />
      </Card>
    </>
  );
}

/** Returns the `when` of the route that caused an event; `delisted` for a delisted item. */
const causeOf = ({ type, branch }: ItemEvent): string =>
  type === "watchlist.product.delisted" ? delisted : (branch ?? "changed");

/** Returns the newest of the events that a rule caused; undefined if there is none. */
const lastOf = ({ step, cause }: Rule, events: readonly ItemEvent[]): ItemEvent | undefined =>
  events.find((event) => causeOf(event) === cause && (step === undefined || event.step === step));

/**
 * Shows why a rule does not report the item now although the condition of the rule may be met: a
 * cooldown, an earlier report, or too few reads in a row. The service stores only this state of the
 * route, not the reads.
 */
function HeldBack({ rule, item }: { readonly rule: Rule; readonly item: WatchlistItem }) {
  const states = item.route_states.filter(
    ({ step, route }) => step === rule.step && route === rule.route,
  );
  const met = Math.max(0, ...states.map(({ reads_met: reads }) => reads));
  const until = states.find(({ cooldown_until: end }) => end !== null)?.cooldown_until ?? null;
  if (until !== null && Date.parse(until) > Date.now()) {
    return (
      <span>
        matches wait for the end of the cooldown <RelativeTime time={until} />
      </span>
    );
  }
  if (states.some(({ reported }) => reported)) {
    return <span>reported once; waits until the condition has ended</span>;
  }
  if (met > 0 && met < rule.confirm) {
    return (
      <span>
        met by {formatCount(met)} of {formatCount(rule.confirm)} reads
      </span>
    );
  }
  return <span class="muted">nothing</span>;
}

const ruleColumns = (
  events: readonly ItemEvent[],
  item: WatchlistItem,
): readonly Column<Rule>[] => [
  { head: "Rule", isRowHead: true, cell: ({ words }) => words },
  { head: "Held back now", cell: (rule) => <HeldBack rule={rule} item={item} /> },
  { head: "Step", cell: ({ step }) => step ?? "every step" },
  {
    head: "Last event",
    align: "end",
    cell: (rule) => {
      const last = lastOf(rule, events);
      return last === undefined ? "none found" : <RelativeTime time={last.at} />;
    },
  },
];

const eventColumns = (deliveries: EventDeliveries | undefined): readonly Column<ItemEvent>[] => [
  {
    head: "Event",
    isRowHead: true,
    cell: ({ type, eventId }) => (
      <span class="event-name">
        {type}
        <code class="muted small">{eventId}</code>
      </span>
    ),
  },
  { head: "Route", cell: (event) => causeOf(event).replaceAll("_", " ") },
  { head: "Step", cell: ({ step }) => step ?? "–" },
  { head: "Run", align: "end", cell: ({ runNumber }) => formatCount(runNumber) },
  { head: "Created", align: "end", cell: ({ at }) => <RelativeTime time={at} /> },
  { head: "Webhook deliveries", cell: (event) => <Deliveries event={event} found={deliveries} /> },
];

interface DeliveriesProps {
  readonly event: ItemEvent;
  readonly found: EventDeliveries | undefined;
}

/** Links to the deliveries of an event. If there are none, shows what happened to the event. */
function Deliveries({ event, found }: DeliveriesProps) {
  const deliveries = found?.ofEvent.get(event.eventId) ?? [];
  if (deliveries.length === 0) {
    return <span class="muted small">{undeliveredWords(found)}</span>;
  }
  return (
    <span class="row">
      {deliveries.map(({ id, state }) => (
        <a
          key={id}
          href={linkTo("/webhooks", { delivery: id })}
          aria-label={`Delivery ${id}: ${state}`}
        >
          <StateBadge state={state} />
        </a>
      ))}
    </span>
  );
}
