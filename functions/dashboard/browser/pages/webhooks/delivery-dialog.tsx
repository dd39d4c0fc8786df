import { useMemo, useState } from "preact/hooks";
import { ApiError, apiErrorOf } from "../../api/api-error.ts";
import type {
  List,
  Watchlist,
  WebhookDelivery,
  WebhookDeliveryWithAttempts,
  WebhookEndpoint,
} from "../../api/resources.ts";
import { useQuery } from "../../api/use-query.ts";
import { readWatchlists } from "../../api/watchlists.ts";
import { formatDuration } from "../../format/sizes.ts";
import { linkTo } from "../../shell/router.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Facts } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { ErrorState, Loaded } from "../../ui/states.tsx";
import { curlOf } from "./delivery-curl.ts";
import { DeliveryEvent } from "./delivery-event.tsx";
import { reasonInWords } from "./delivery-words.ts";
import { eventBodyOf } from "./event-body.ts";
import { EventType } from "./event-type.tsx";
import { RedeliverButton } from "./redeliver-button.tsx";
import { SendElsewhere } from "./send-elsewhere.tsx";
import "./webhooks.css";

interface DeliveryDialogProps {
  readonly id: string;
  /**
   * Returns the reason why the delivery's endpoint cannot receive deliveries; undefined if the
   * endpoint can.
   */
  readonly blocked: (delivery: WebhookDelivery) => string | undefined;
  readonly onRedelivered: () => void;
  readonly onClose: () => void;
}

const pendingSeconds = 2;

/**
 * Shows why an event was sent, and its delivery with the attempts. Keeps a pending delivery up to
 * date. Calls `onRedelivered` after each redelivery, and `onClose` when the user closes the dialog.
 */
export function DeliveryDialog({ id, blocked, onRedelivered, onClose }: DeliveryDialogProps) {
  const delivery = useQuery(
    async (api, signal) => {
      try {
        return await api.get<WebhookDeliveryWithAttempts>(`webhook_deliveries/${id}`, { signal });
      } catch (thrown) {
        throw missingDelivery(id, apiErrorOf(thrown));
      }
    },
    [id],
    { poll: (data) => (data?.state === "pending" ? pendingSeconds : undefined) },
  );
  const endpoints = useQuery(
    (api, signal) => api.get<List<WebhookEndpoint>>("webhook_endpoints", { signal }),
    [],
  );
  const lists = useQuery(readWatchlists, []);
  const [failure, setFailure] = useState<ApiError>();
  const again = (): void => {
    delivery.refresh();
    onRedelivered();
  };
  return (
    <Dialog title="Delivery" isWide onClose={onClose}>
      <Loaded query={delivery}>
        {(shown) => (
          <>
            <DeliveryFacts delivery={shown} list={listOf(shown, lists.data)} />
            <Loaded query={lists}>
              {(loaded) => (
                <Loaded query={endpoints}>
                  {({ data }) => (
                    <DeliveryEvent
                      delivery={shown}
                      list={listOf(shown, loaded)}
                      endpoint={data.find((one) => one.id === shown.endpoint_id)}
                    />
                  )}
                </Loaded>
              )}
            </Loaded>
            <RequestBody body={shown.request_body} />
            <h3>Attempts</h3>
            <Attempts delivery={shown} url={urlOf(shown, endpoints.data)} />
            {shown.run_id !== null && endpoints.data && (
              <SendElsewhere delivery={shown} endpoints={endpoints.data} onSent={onRedelivered} />
            )}
            {failure && <ErrorState error={failure} />}
            <div class="dialog-actions">
              <Button onClick={onClose}>Close</Button>
              <RedeliverButton
                delivery={shown}
                blocked={blocked(shown)}
                variant="primary"
                onRedelivered={again}
                onFailed={setFailure}
              />
            </div>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

const notFound = 404;

/**
 * Returns the error of a call for a delivery. If the delivery does not exist, replaces the message
 * with one that explains why and what to do on this page.
 */
const missingDelivery = (id: string, error: ApiError): ApiError =>
  error.status === notFound && error.requestId !== undefined
    ? new ApiError({
        status: notFound,
        code: error.code,
        requestId: error.requestId,
        message: `There is no delivery ${id}. The service keeps deliveries for 30 days. Close this dialog to see all deliveries.`,
      })
    : error;

/** Returns the watchlist of a delivery; undefined for a test and for a deleted watchlist. */
const listOf = (
  { watchlist_id: id }: WebhookDelivery,
  lists: List<Watchlist> | undefined,
): Watchlist | undefined => lists?.data.find((list) => list.id === id);

/** Returns the current URL of a delivery's endpoint; undefined for a deleted endpoint. */
const urlOf = (
  { endpoint_id: id }: WebhookDelivery,
  endpoints: List<WebhookEndpoint> | undefined,
): string | undefined => endpoints?.data.find((endpoint) => endpoint.id === id)?.url;

interface DeliveryFactsProps {
  readonly delivery: WebhookDelivery;
  readonly list: Watchlist | undefined;
}

function DeliveryFacts({ delivery, list }: DeliveryFactsProps) {
  const { watchlist_id: listId, next_attempt_at: next } = delivery;
  return (
    <Facts
      facts={[
        ["State", <StateBadge key="state" state={delivery.state} />],
        ["Event type", <EventType key="type" type={delivery.event_type} />],
        ...(listId === null
          ? []
          : [["Watchlist", <ListName key="list" id={listId} name={list?.name} />] as const]),
        ["Happened", <RelativeTime key="created" time={delivery.created_at} />],
        ...(next === null
          ? []
          : [[nextLabel(next), <RelativeTime key="next" time={next} />] as const]),
        ["Event ID", <code key="event">{delivery.event_id}</code>],
        ["Delivery ID", <code key="delivery">{delivery.id}</code>],
      ]}
    />
  );
}

/**
 * Returns the label of the next attempt's time. A time in the past means that the attempt is
 * overdue.
 */
const nextLabel = (next: string): string =>
  new Date(next) > new Date() ? "Next attempt" : "Due since";

/** Shows the body of the requests with indented lines. Its button copies the bytes as sent. */
function RequestBody({ body }: { readonly body: string | null }) {
  const indented = useMemo(() => (body === null ? "" : eventBodyOf(body).indented), [body]);
  if (body === null) return null;
  return (
    <details>
      <summary>Request body</summary>
      <CodeBlock label="Request body" code={indented} copied={body} />
    </details>
  );
}

/** Links to a watchlist by its name. Shows only the ID of a deleted watchlist. */
const ListName = ({ id, name }: { readonly id: string; readonly name: string | undefined }) =>
  name === undefined ? <code>{id}</code> : <a href={linkTo(`/watchlists/${id}`)}>{name}</a>;

interface AttemptsProps {
  readonly delivery: WebhookDeliveryWithAttempts;
  readonly url: string | undefined;
}

/** Lists the attempts, newest first. */
function Attempts({ delivery, url }: AttemptsProps) {
  const { attempts, attempt_count: count, request_body: body } = delivery;
  if (attempts.length === 0) return <p class="muted">No attempts yet.</p>;
  const older = count - attempts.filter(({ attempt }) => attempt !== null).length;
  return (
    <ol class="attempts" role="list">
      {attempts.toReversed().map((attempt) => (
        <li key={attempt.at} class="attempt">
          <div class="attempt-head">
            <span class="row">
              <strong>{attempt.attempt === null ? "Not sent" : `${attempt.attempt}.`}</strong>
              <StateBadge state={attempt.error === null ? "delivered" : "failed"} />
              <span>
                {attempt.error === null ? `HTTP ${attempt.status}` : reasonInWords(attempt.error)}
              </span>
            </span>
            <span class="muted small">
              <RelativeTime time={attempt.at} /> · {formatDuration(attempt.duration_ms)}
            </span>
          </div>
          {attempt.request_headers !== null && (
            <>
              <details>
                <summary>Request headers</summary>
                <pre
                  tabIndex={0}
                  role="region"
                  aria-label={`Request headers of attempt ${attempt.attempt}`}
                >
                  {headerLines(attempt.request_headers)}
                </pre>
              </details>
              {url !== undefined && body !== null && (
                <p class="row small muted">
                  <CopyButton
                    text={curlOf({ url, headers: attempt.request_headers, body })}
                    what={`as curl, attempt ${attempt.attempt}`}
                    words="Copy as curl"
                  />
                  A receiver refuses the signature once it is older than five minutes.
                </p>
              )}
            </>
          )}
          {attempt.response !== null && (
            <Answer attempt={attempt.attempt} response={attempt.response} />
          )}
        </li>
      ))}
      {older > 0 && <li class="muted small">Older attempts that are no longer stored: {older}.</li>}
    </ol>
  );
}

interface AnswerProps {
  /** The number of the attempt. */
  readonly attempt: number | null;
  readonly response: string;
}

/** Shows the body of the receiver's response. */
function Answer({ attempt, response }: AnswerProps) {
  if (response === "") return <p class="small muted">The receiver's response had no body.</p>;
  return (
    <figure class="attempt-answer">
      <figcaption class="small muted">Body of the receiver's response</figcaption>
      <pre tabIndex={0} role="region" aria-label={`Response to attempt ${attempt}`}>
        {response}
      </pre>
    </figure>
  );
}

const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
