import * as v from "valibot";
import { apiClient } from "../../../tools/customer/api-client.ts";
import type { Row, TourClient } from "./tour-client.ts";

const page = v.object({
  next_after: v.optional(v.string()),
  next_starting_after: v.optional(v.string()),
});

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
        const { next_after: after, next_starting_after: startingAfter } = v.parse(page, body);
        next = after === undefined ? `&starting_after=${startingAfter}` : `&after=${after}`;
      }
    },
    close: async () => {},
  };
}
