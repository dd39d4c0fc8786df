import type { Method } from "@middy/http-router";
import type { RouteKey } from "../routes.ts";

/** The methods that the gateway passes on, in the order of `Allow`. */
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

export interface MethodRoute<Key> {
  readonly method: Method;
  readonly path: string;
  /** The route that answers; for HEAD, the GET route of the path. Undefined where none does. */
  readonly key: Key | undefined;
  /** The methods that the path takes. */
  readonly allow: readonly string[];
}

/**
 * Every method of every path that a group has, with the route that answers it. Methods that a path
 * lacks are listed too, so that such a call does not reach a less specific path:
 * `GET /v1/watchlists/estimate` does not ask for a watchlist with the ID `estimate`.
 * @param hasPreflight True for paths that pages of other origins may read.
 */
export function methodRoutes<Key extends RouteKey>(
  keys: readonly Key[],
  hasPreflight: boolean,
): readonly MethodRoute<Key>[] {
  const byPath = Map.groupBy(keys, (key) => key.slice(key.indexOf(" ") + 1));
  return [...byPath].flatMap(([path, keysOfPath]): MethodRoute<Key>[] => {
    const byMethod = new Map<string, Key>(
      keysOfPath.map((key) => [key.slice(0, key.indexOf(" ")), key]),
    );
    const any = byMethod.get("ANY");
    if (any !== undefined) return [{ method: "ANY", path, key: any, allow: methods }];
    const get = byMethod.get("GET");
    if (get !== undefined) byMethod.set("HEAD", get);
    const allow = methods.filter(
      (method) => byMethod.has(method) || (method === "OPTIONS" && hasPreflight),
    );
    return methods.map((method) => ({ method, path, key: byMethod.get(method), allow }));
  });
}
