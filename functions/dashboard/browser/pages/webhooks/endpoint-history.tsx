import { useMemo, useState } from "preact/hooks";
import type { List, WebhookDelivery } from "../../api/resources.ts";
import type { ApiClient } from "../../api/client.ts";
import { useQuery } from "../../api/use-query.ts";
import { formatCount, formatShare } from "../../format/numbers.ts";
import { formatDay } from "../../format/times.ts";
import { BarChart } from "../../ui/bar-chart.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { type DayOfDeliveries, daysOf } from "./delivery-days.ts";

/** The largest number of deliveries in a page of the API. */
const pageSize = 100;
/** The maximum number of pages that the card reads. */
const pagesMax = 50;

interface NewestDeliveries {
  readonly deliveries: readonly WebhookDelivery[];
  /** True if older deliveries were not loaded. */
  readonly isCut: boolean;
}

async function newest(
  api: ApiClient,
  endpointId: string,
  signal: AbortSignal,
): Promise<NewestDeliveries> {
  const deliveries: WebhookDelivery[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const answer = await api.get<List<WebhookDelivery>>(
      `webhook_endpoints/${endpointId}/deliveries`,
      { signal, query: { limit: pageSize, starting_after: cursor } },
    );
    deliveries.push(...answer.data);
    if (answer.next_starting_after == null) return { deliveries, isCut: false };
    cursor = answer.next_starting_after;
  }
  return { deliveries, isCut: true };
}

/**
 * Shows how the deliveries of an endpoint ended, day by day. Loads the deliveries only after the
 * user asks for them.
 */
export function EndpointHistory({ endpointId }: { readonly endpointId: string }) {
  const [isAsked, setAsked] = useState(false);
  return (
    <Card title="Health over time">
      {isAsked ? (
        <LoadedDays endpointId={endpointId} />
      ) : (
        <div class="row">
          <Button onClick={() => setAsked(true)}>Count the deliveries of each day</Button>
          <span class="muted small">Reads the newest {formatCount(pageSize * pagesMax)}.</span>
        </div>
      )}
    </Card>
  );
}

function LoadedDays({ endpointId }: { readonly endpointId: string }) {
  const query = useQuery((api, signal) => newest(api, endpointId, signal), [endpointId]);
  return <Loaded query={query}>{(loaded) => <Days {...loaded} />}</Loaded>;
}

function Days({ deliveries, isCut }: NewestDeliveries) {
  const days = useMemo(() => daysOf(deliveries), [deliveries]);
  const bars = useMemo(
    () =>
      days.map(({ date, delivered, failed }) => ({
        label: formatDay(date),
        value: Math.floor((delivered / Math.max(1, delivered + failed)) * wholeShare),
      })),
    [days],
  );
  if (days.length === 0) return <EmptyState title="No deliveries yet." />;
  return (
    <>
      <BarChart
        title="Delivered, in percent"
        per="Day (UTC)"
        bars={bars}
        format={(percent) => `${percent}%`}
        summary={summaryOf(deliveries, isCut)}
      />
      <Table
        caption="Deliveries of each day"
        columns={columns}
        rows={days.toReversed()}
        rowKey={({ date }) => date}
        empty={null}
      />
    </>
  );
}

const wholeShare = 100;

function summaryOf(deliveries: readonly WebhookDelivery[], isCut: boolean): string {
  const ended = deliveries.filter(({ state }) => state !== "pending");
  const delivered = ended.filter(({ state }) => state === "delivered").length;
  const share = ended.length === 0 ? "" : `, ${formatShare(delivered / ended.length)} delivered`;
  const count = formatCount(deliveries.length);
  const words = deliveries.length === 1 ? "delivery" : "deliveries";
  return `${isCut ? "The newest " : ""}${count} ${words}${share}`;
}

const columns: readonly Column<DayOfDeliveries>[] = [
  { head: "Day (UTC)", isRowHead: true, cell: ({ date }) => formatDay(date) },
  { head: "Delivered", align: "end", cell: ({ delivered }) => formatCount(delivered) },
  { head: "Failed", align: "end", cell: ({ failed }) => formatCount(failed) },
  { head: "Pending", align: "end", cell: ({ pending }) => formatCount(pending) },
  { head: "Attempts", align: "end", cell: ({ attempts }) => formatCount(attempts) },
];
