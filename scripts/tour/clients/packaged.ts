import { operationOf } from "./operation-of.ts";
import type { PackagedCalls, TourClient, TourLibrary } from "./tour-client.ts";

/** Creates the client of a tour from a packaged client: paths become calls of operations. */
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
