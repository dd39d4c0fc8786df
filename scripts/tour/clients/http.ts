import { apiClient } from "../../../tools/customer/api-client.ts";
import type { Row, TourClient } from "./tour-client.ts";

/** Creates a client that calls the service over plain HTTP. */
export function httpClient(baseUrl: string, apiKey: string): TourClient {
  const api = apiClient(baseUrl, apiKey);
  return {
    ...api,
    async all(path) {
      const entries: Row[] = [];
      for (let next = ""; ;) {
        const { body } = await api.get(`${path}${next}`);
        entries.push(...(body["data"] as Row[]));
        if (body["has_more"] !== true) return entries;
        next =
          body["next_after"] === undefined
            ? `&starting_after=${String(body["next_starting_after"])}`
            : `&after=${String(body["next_after"])}`;
      }
    },
    close: async () => {},
  };
}
