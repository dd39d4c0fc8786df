import { useMemo, useState } from "preact/hooks";
import type { List, WebhookDelivery, WebhookEndpoint } from "../../api/resources.ts";
import { useQuery } from "../../api/use-query.ts";
import { IgnoredParts } from "../../shell/ignored-parts.tsx";
import { Page } from "../../shell/page.tsx";
import { linkTo, replacePlace } from "../../shell/router.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { WriteButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { PlusIcon } from "../../ui/icons.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import type { PageProps } from "../../shell/shown-page.ts";
import { readDeliveryQuery, useDeliveries } from "./deliveries.ts";
import { DeliveryDialog } from "./delivery-dialog.tsx";
import { DeliveryLog } from "./delivery-log.tsx";
import { stateOf } from "./endpoint-health.tsx";
import { eventsInWords } from "./event-types.ts";
import { NewEndpointDialog } from "./new-endpoint-dialog.tsx";
import { VerifyCard } from "./verify-card.tsx";
import "./webhooks.css";

const path = "/webhooks";
const endpointsMax = 10;

/**
 * The page with all webhook endpoints and their delivery log. The query contains the filters of the
 * log.
 */
export function WebhooksPage({ query }: PageProps) {
  const endpoints = useQuery(
    (api, signal) => api.get<List<WebhookEndpoint>>("webhook_endpoints", { signal }),
    [],
  );
  const [isNew, setNew] = useState(false);
  const count = endpoints.data?.data.length ?? 0;
  const add = (
    <WriteButton
      variant="primary"
      disabledReason={
        count >= endpointsMax
          ? `The account has ${endpointsMax} webhook endpoints, which is the maximum. Delete one first.`
          : undefined
      }
      onClick={() => setNew(true)}
    >
      <PlusIcon />
      New endpoint
    </WriteButton>
  );
  return (
    <Page
      title="Webhooks"
      lead="The service sends your endpoints signed events about changes and runs, and retries failed deliveries."
      actions={add}
    >
      <IgnoredParts parts={readDeliveryQuery(query).ignored} />
      <Card title="Endpoints" flush>
        <Table
          caption="Webhook endpoints"
          columns={columns}
          rows={endpoints.data?.data}
          rowKey={({ id }) => id}
          error={endpoints.error}
          onRetry={endpoints.refresh}
          empty={
            <EmptyState title="There are no endpoints yet.">
              Register a public HTTPS URL that accepts POST. You get a secret with which your
              receiver verifies that deliveries come from this service.
            </EmptyState>
          }
        />
      </Card>
      <AllDeliveries query={query} endpoints={endpoints.data?.data} />
      <VerifyCard />
      {isNew && <NewEndpointDialog onCreated={endpoints.refresh} onClose={() => setNew(false)} />}
    </Page>
  );
}

const columns: readonly Column<WebhookEndpoint>[] = [
  {
    head: "Endpoint",
    isRowHead: true,
    cell: ({ id, url, description }) => (
      <span class="event-name">
        <a href={linkTo(`${path}/${id}`)}>{url}</a>
        {description !== null && <span class="muted small">{description}</span>}
      </span>
    ),
  },
  { head: "Events", cell: ({ events }) => <span class="nowrap">{eventsInWords(events)}</span> },
  {
    head: "State",
    cell: (endpoint) => <StateBadge state={stateOf(endpoint)} />,
  },
  { head: "Created", cell: ({ created_at: time }) => <RelativeTime time={time} /> },
];

interface AllDeliveriesProps {
  readonly query: URLSearchParams;
  readonly endpoints: readonly WebhookEndpoint[] | undefined;
}

/** Shows the delivery log of all endpoints, including deleted ones. */
function AllDeliveries({ query, endpoints }: AllDeliveriesProps) {
  const { filters, values, opened } = readDeliveryQuery(query);
  const deliveries = useDeliveries(filters);
  const byId = useMemo(() => new Map(endpoints?.map((one) => [one.id, one])), [endpoints]);
  const blocked = ({ endpoint_id: id }: WebhookDelivery): string | undefined => {
    const endpoint = byId.get(id);
    if (endpoint === undefined) return "The endpoint of this delivery was deleted.";
    return endpoint.enabled ? undefined : "The endpoint is disabled. Enable it first.";
  };
  const endpointColumn: Column<WebhookDelivery> = {
    head: "Endpoint",
    cell: ({ endpoint_id: id }) => {
      const endpoint = byId.get(id);
      if (endpoint !== undefined) return <EndpointLink endpoint={endpoint} />;
      return <span class="muted">{endpoints === undefined ? id : "deleted"}</span>;
    },
  };
  return (
    <>
      <DeliveryLog pages={deliveries} path={path} query={query} columns={[endpointColumn]} />
      {opened !== undefined && (
        <DeliveryDialog
          id={opened}
          blocked={blocked}
          onRedelivered={deliveries.refresh}
          onClose={() => replacePlace(linkTo(path, values))}
        />
      )}
    </>
  );
}

const EndpointLink = ({ endpoint }: { readonly endpoint: WebhookEndpoint }) => (
  <a class="endpoint-name" href={linkTo(`${path}/${endpoint.id}`)}>
    {endpoint.description ?? new URL(endpoint.url).host}
  </a>
);
