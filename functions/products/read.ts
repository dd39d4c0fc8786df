import { readProducts, type ReadProductsDependencies } from "../../shared/items/read-products.ts";
import { productsRequest } from "../../shared/items/request.ts";
import { refuseAnnounced } from "../../shared/platforms/catalogue.ts";
import { itemReply } from "../http/item-reply.ts";
import { route } from "../http/route.ts";
import type { RouteKey } from "../routes.ts";

const endpoint: RouteKey = "POST /v1/products";

/** `POST /v1/products` (specification, same section). */
export const readRoute = route<ReadProductsDependencies, typeof productsRequest>({
  body: productsRequest,
  announced: ({ body }) => refuseAnnounced(body),
  async handle({ body: request, caller, requestId, now, deadline, msToAnswer }, dependencies) {
    const { accountId } = caller;
    const call = { request, accountId, requestId, endpoint, now, deadline, msToAnswer };
    return itemReply(request.scraper, await readProducts(call, dependencies));
  },
});
