import type { UndefinedSchema } from "valibot";
import { deliveriesQuery } from "../../shared/webhooks/delivery-schema.ts";
import { listDeliveries } from "../../shared/webhooks/list-deliveries.ts";
import { route } from "../http/route.ts";
import type { EndpointDependencies } from "./dependencies.ts";

/**
 * `GET /v1/webhook_deliveries`. Lists the deliveries to all endpoints, newest first. Deliveries to
 * a deleted endpoint stay in the list.
 */
export const listDeliveriesRoute = route<
  EndpointDependencies,
  UndefinedSchema<undefined>,
  typeof deliveriesQuery
>({
  query: deliveriesQuery,
  async handle({ caller, query }, dependencies) {
    return { status: 200, body: await listDeliveries(caller.accountId, query, dependencies) };
  },
});
