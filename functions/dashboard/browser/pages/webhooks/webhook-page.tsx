import { useState } from "preact/hooks";
import type { WebhookDelivery, WebhookEndpoint } from "../../api/resources.ts";
import type { Pages } from "../../api/use-pages.ts";
import { useQuery } from "../../api/use-query.ts";
import { IgnoredParts } from "../../shell/ignored-parts.tsx";
import { Page } from "../../shell/page.tsx";
import { linkTo, replacePlace } from "../../shell/router.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { WriteButton } from "../../ui/button.tsx";
import { Card, Facts } from "../../ui/card.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Loaded, Skeleton } from "../../ui/states.tsx";
import type { PageProps } from "../../shell/shown-page.ts";
import { readDeliveryQuery, useDeliveries } from "./deliveries.ts";
import { DeliveryDialog } from "./delivery-dialog.tsx";
import { DeliveryLog } from "./delivery-log.tsx";
import { type EndpointDialogName, EndpointDialogs } from "./endpoint-dialogs.tsx";
import { HealthNotice, healthFacts, stateOf } from "./endpoint-health.tsx";
import { EndpointHistory } from "./endpoint-history.tsx";
import { EnabledButton } from "./endpoint-state.tsx";
import { eventsInWords } from "./event-types.ts";
import { RedeliverButton } from "./redeliver-button.tsx";
import { useEndpointTest } from "./use-endpoint-test.tsx";
import { VerifyCard } from "./verify-card.tsx";
import "./webhooks.css";

const back = { href: linkTo("/webhooks"), label: "Webhooks" };

/**
 * The page of the webhook endpoint with the ID in `parameters`. The query contains the filters of
 * its delivery log.
 */
export function WebhookPage({ parameters, query }: PageProps) {
  const id = parameters["id"] ?? "";
  const endpoint = useQuery(
    (api, signal) => api.get<WebhookEndpoint>(`webhook_endpoints/${id}`, { signal }),
    [id],
  );
  const [open, setOpen] = useState<EndpointDialogName>();
  const { filters, ignored } = readDeliveryQuery(query);
  const deliveries = useDeliveries(filters, id);
  const { data } = endpoint;
  const blocked =
    data?.enabled === false ? "The endpoint is disabled. Enable it first." : undefined;
  const test = useEndpointTest(id, blocked, deliveries.refresh);
  const refresh = (): void => {
    endpoint.refresh();
    deliveries.refresh();
  };
  return (
    <Page
      title={data === undefined ? "Webhook endpoint" : nameOf(data)}
      lead={data && <code class="endpoint-url">{data.url}</code>}
      back={back}
      actions={
        data && (
          <>
            <WriteButton onClick={() => setOpen("edit")}>Edit</WriteButton>
            <EnabledButton
              endpoint={data}
              onEnabled={refresh}
              onDisable={() => setOpen("disable")}
            />
            {test.button}
          </>
        )
      }
    >
      <Loaded query={endpoint} skeleton={<Skeleton lines={6} />}>
        {(shown) => (
          <>
            <IgnoredParts parts={ignored} />
            <HealthNotice endpoint={shown} />
            {test.outcome}
            <SettingsCard endpoint={shown} onRotate={() => setOpen("rotate")} />
            <EndpointLog
              id={id}
              query={query}
              deliveries={deliveries}
              blocked={blocked}
              onRecover={() => setOpen("recover")}
            />
            <EndpointHistory endpointId={id} />
            <VerifyCard />
            <DeleteCard onDelete={() => setOpen("delete")} />
            <EndpointDialogs
              open={open}
              endpoint={shown}
              onChanged={refresh}
              onClose={() => setOpen(undefined)}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

const nameOf = ({ description, url }: WebhookEndpoint): string => description ?? new URL(url).host;

interface EndpointLogProps {
  readonly id: string;
  readonly query: URLSearchParams;
  readonly deliveries: Pages<WebhookDelivery>;
  /** The reason why the endpoint cannot receive deliveries; undefined if the endpoint can. */
  readonly blocked: string | undefined;
  readonly onRecover: () => void;
}

function EndpointLog({ id, query, deliveries, blocked, onRecover }: EndpointLogProps) {
  const path = `/webhooks/${id}`;
  const { opened, values } = readDeliveryQuery(query);
  return (
    <>
      <DeliveryLog
        pages={deliveries}
        path={path}
        query={query}
        actions={
          <WriteButton small disabledReason={blocked} onClick={onRecover}>
            Recover a time span
          </WriteButton>
        }
        rowAction={(delivery) =>
          delivery.run_id !== null && (
            <RedeliverButton
              small
              delivery={delivery}
              blocked={blocked}
              onRedelivered={deliveries.refresh}
            />
          )
        }
      />
      {opened !== undefined && (
        <DeliveryDialog
          id={opened}
          blocked={() => blocked}
          onRedelivered={deliveries.refresh}
          onClose={() => replacePlace(linkTo(path, values))}
        />
      )}
    </>
  );
}

interface SettingsCardProps {
  readonly endpoint: WebhookEndpoint;
  readonly onRotate: () => void;
}

function SettingsCard({ endpoint, onRotate }: SettingsCardProps) {
  const { previous_secret_expires_at: previous } = endpoint;
  return (
    <Card
      title="Settings"
      actions={
        <WriteButton small onClick={onRotate}>
          Rotate secret
        </WriteButton>
      }
    >
      <Facts
        facts={[
          ["State", <StateBadge key="state" state={stateOf(endpoint)} />],
          ...healthFacts(endpoint),
          ["Events", <Events key="events" events={endpoint.events} />],
          [
            "Signing secret",
            <span key="secret">
              ends in <code>{endpoint.secret_hint}</code>
            </span>,
          ],
          ...(previous === null
            ? []
            : [
                [
                  "Previous secret also signs until",
                  <RelativeTime key="previous" time={previous} />,
                ] as const,
              ]),
          ["Created", <RelativeTime key="created" time={endpoint.created_at} />],
          ["Changed", <RelativeTime key="updated" time={endpoint.updated_at} />],
        ]}
      />
    </Card>
  );
}

function Events({ events }: Pick<WebhookEndpoint, "events">) {
  if (events === null || events.length === 0) return <>{eventsInWords(events)}</>;
  return (
    <ul class="plain-list">
      {events.map((type) => (
        <li key={type}>{type}</li>
      ))}
    </ul>
  );
}

function DeleteCard({ onDelete }: { readonly onDelete: () => void }) {
  return (
    <Card
      title="Delete endpoint"
      actions={
        <WriteButton small variant="danger" onClick={onDelete}>
          Delete
        </WriteButton>
      }
    >
      <p class="muted">The endpoint will receive no more events. The delivery log remains.</p>
    </Card>
  );
}
