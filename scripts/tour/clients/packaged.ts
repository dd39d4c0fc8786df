import { operationOf } from "./operation-of.ts";
import type { PackagedCalls, TourClient, TourLibrary } from "./tour-client.ts";

/**
 * Adapts a packaged client to the interface of the tour. A request to a path becomes a call of the
 * operation with this path.
 * @param calls The calls of the packaged client.
 * @param library Functions of the client beyond single calls.
 * @param close Ends the packaged client.
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
