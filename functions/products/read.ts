import { readProducts, type ReadProductsDependencies } from "../../shared/items/read-products.ts";
import { productsRequest } from "../../shared/items/request.ts";
import { refuseAnnounced } from "../../shared/platforms/catalogue.ts";
import { itemReply } from "../http/item-reply.ts";
import { route } from "../http/route.ts";

/** `POST /v1/products` (specification, same section). */
export const readRoute = route<ReadProductsDependencies, typeof productsRequest>({
  body: productsRequest,
  announced: ({ body }) => refuseAnnounced(body),
  async handle({ body: request, caller, requestId, now, deadline, msToAnswer }, dependencies) {
    const { accountId } = caller;
    const call = { request, accountId, requestId, now, deadline, msToAnswer };
    return itemReply(request.scraper, await readProducts(call, dependencies));
  },
});
