import { invalidParam } from "../base/errors.ts";
import type { Clock } from "../base/clock.ts";
import { formatValue } from "../base/shown-value.ts";
import { reservedIds } from "../scrapers/reserved-ids.ts";
import type { Scraper } from "../scrapers/scraper.ts";
import { countByStatus, productsEnvelope, type ProductsEnvelope } from "./envelope.ts";
import { presentProduct } from "./product.ts";
import type { ProductsRequest } from "./request.ts";

/**
 * Refuses a request with items other than the reserved IDs of the sandbox.
 * @throws 400 that names the first such item
 */
export function refuseOtherItems({ platform, ids }: ProductsRequest): void {
  const known = reservedIds[platform].map(({ id }) => id);
  const other = ids.find((id) => !known.includes(id));
  if (other === undefined) return;
  throw invalidParam(
    "ids",
    `This call reads only items of the sandbox, such as "${known[1]}" (got ${formatValue(other)}). /docs/sandbox lists them. ` +
      "Read other items with POST /v1/products.",
  );
}

export interface SandboxDependencies {
  readonly sandbox: Scraper;
  readonly clock: Clock;
}

interface SandboxRead {
  readonly request: ProductsRequest;
  readonly now: Date;
  readonly deadline: Date;
}

/**
 * Reads products from the sandbox, free of charge. The response has the form of `POST
 * /v1/products`.
 */
export async function readSandboxProducts(
  { request, now, deadline }: SandboxRead,
  { sandbox, clock }: SandboxDependencies,
): Promise<ProductsEnvelope> {
  const { scraper, marketplace, ids } = request;
  const answers = await sandbox.read({ scraper, marketplace, ids, deadline });
  return productsEnvelope(request, {
    results: answers.map((answer) => presentProduct(scraper, answer)),
    counts: countByStatus(answers),
    elapsedMs: clock.now().getTime() - now.getTime(),
    credits: 0,
  });
}
