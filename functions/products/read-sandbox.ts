import { productsRequest } from "../../shared/items/request.ts";
import {
  readSandboxProducts,
  refuseOtherItems,
  type SandboxDependencies,
} from "../../shared/items/sandbox-products.ts";
import { refuseAnnounced } from "../../shared/platforms/catalog.ts";
import { route } from "../http/route.ts";

/**
 * `POST /v1/products/sandbox`: reads items of the sandbox free of charge, even if the sandbox is
 * not a configured source. A key of the demo workspace can call it.
 */
export const readSandboxRoute = route<SandboxDependencies, typeof productsRequest>({
  body: productsRequest,
  announced: ({ body }) => refuseAnnounced(body),
  check: ({ body }) => refuseOtherItems(body),
  handle: async ({ body: request, now, deadline }, dependencies) => ({
    status: 200,
    body: await readSandboxProducts({ request, now, deadline }, dependencies),
  }),
});
