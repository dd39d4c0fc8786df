import { operationOf } from "./operation-of.ts";
import type { PackagedCalls, TourClient, TourLibrary } from "./tour-client.ts";

/**
 * Adapts a packaged client to the client of the tour: a request to a path calls the method of its
 * operation. `close` ends the packaged client.
 */
export function packagedClient(
  calls: PackagedCalls,
  library: TourLibrary,
  close: () => Promise<void>,
): TourClient {
  return {
    get: (path) => calls.call(operationOf("GET", path)),
    send: (method, path, body) => calls.call(operationOf(method, path, body)),
    all: (path) => calls.list(operationOf("GET", path)),
    library,
    close,
  };
}
