import { readProducts, type ReadProductsDependencies } from "../../shared/items/read-products.ts";
import { productsRequest } from "../../shared/items/request.ts";
import { refuseAnnounced } from "../../shared/platforms/catalog.ts";
import { itemReply, meteredCallOf } from "../http/item-reply.ts";
import { route } from "../http/route.ts";

/**
 * `POST /v1/products`. Reads items of one platform (specification, section "POST /v1/products").
 */
export const readProductsRoute = route<ReadProductsDependencies, typeof productsRequest>({
  body: productsRequest,
  announced: ({ body }) => refuseAnnounced(body),
  handle: async (call, dependencies) =>
    itemReply(call.body.scraper, await readProducts(meteredCallOf(call, call.body), dependencies)),
});
