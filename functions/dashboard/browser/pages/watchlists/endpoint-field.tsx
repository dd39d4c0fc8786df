import type { ApiError } from "../../api/api-error.ts";
import type { List, WebhookEndpoint } from "../../api/resources.ts";
import { type Query, useQuery } from "../../api/use-query.ts";
import { Field } from "../../ui/field.tsx";
import { ErrorState } from "../../ui/states.tsx";

/** Loads the account's webhook endpoints. */
export const useEndpoints = (): Query<List<WebhookEndpoint>> =>
  useQuery((api, signal) => api.get<List<WebhookEndpoint>>("webhook_endpoints", { signal }), []);

interface EndpointFieldProps {
  readonly endpoints: Query<List<WebhookEndpoint>>;
  /**
   * The URL of the endpoint that receives the watchlist's events; null if every subscribed endpoint
   * receives them.
   */
  readonly url: string | null;
  readonly onChange: (url: string | null) => void;
  readonly error: ApiError | undefined;
}

/**
 * A field that selects the webhook endpoint of a watchlist. Calls `onChange` with the URL of the
 * selected endpoint, or with null for every subscribed endpoint.
 */
export function EndpointField({ endpoints, url, onChange, error }: EndpointFieldProps) {
  const known = endpoints.data?.data ?? [];
  const isKnown = url === null || known.some((endpoint) => endpoint.url === url);
  return (
    <>
      {endpoints.error && <ErrorState error={endpoints.error} onRetry={endpoints.refresh} />}
      <Field
        label="Send events to"
        hint={
          endpoints.data?.data.length === 0
            ? "No webhook endpoint is registered yet. Changes are still shown here."
            : "One endpoint, or every endpoint that is subscribed to the event."
        }
        error={error?.param?.startsWith("webhook_") === true ? error.message : undefined}
      >
        {(control) => (
          <select
            {...control}
            value={url ?? ""}
            onChange={({ currentTarget: { value } }) => onChange(value === "" ? null : value)}
          >
            <option value="">Every subscribed endpoint</option>
            {known.map((endpoint) => (
              <option key={endpoint.id} value={endpoint.url}>
                {endpointWords(endpoint)}
              </option>
            ))}
            {!isKnown && (
              <option value={url}>{endpoints.data === undefined ? url : `${url} (deleted)`}</option>
            )}
          </select>
        )}
      </Field>
    </>
  );
}

/**
 * Returns the label of an endpoint. Unicode isolation characters around the description keep
 * right-to-left text in it from reordering the rest of the label.
 */
const endpointWords = ({ url, description, enabled }: WebhookEndpoint): string =>
  `${description === null || description === "" ? url : `\u2068${description}\u2069: ${url}`}${enabled ? "" : " (disabled)"}`;
