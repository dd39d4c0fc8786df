import { Events } from "./events.ts";
import type { Operations } from "./generated/operations.ts";
import { entriesOf, type EntryOf, type ListId } from "./pages.ts";
import type { OperationId } from "./policy.ts";
import { Products } from "./products.ts";
import { type CallArguments, Transport, type TransportOptions } from "./transport.ts";
import { verifyWebhook } from "./webhooks.ts";

/**
 * A client of the service. `call` and `list` offer every operation of the API reference by its
 * operation ID. `products`, `events` and `webhooks` offer functions that need more than one call.
 */
export class Client {
  readonly #transport: Transport;
  readonly products: Products;
  readonly events: Events;
  readonly webhooks = { verify: verifyWebhook };

  /**
   * Creates a client. By default, reads the API key from the environment variable `RPD_API_KEY`,
   * and the address of the service from `RPD_BASE_URL`.
   * @throws TypeError if the address is missing, or if the address or the key is invalid.
   */
  constructor(options: TransportOptions = {}) {
    this.#transport = new Transport(options);
    this.products = new Products(this.#transport);
    this.events = new Events(this.#transport);
  }

  /**
   * Calls an operation, such as `client.call("getWatchlist", { path: { id } })`.
   * @throws ApiError if the service returns an error
   * @throws ConnectionError if no response arrives
   */
  call<Id extends OperationId>(
    operation: Id,
    ...options: CallArguments<Id>
  ): Promise<Operations[Id]["result"]> {
    return this.#transport.call(operation, ...options);
  }

  /**
   * Iterates over the entries of all pages of a list, such as `client.list("listChanges")`.
   * @throws RangeError if there are more entries, but the operation cannot return further pages
   */
  list<Id extends ListId>(
    operation: Id,
    ...options: CallArguments<Id>
  ): AsyncGenerator<EntryOf<Id>, void, undefined> {
    return entriesOf(this.#transport, operation, ...options);
  }
}
