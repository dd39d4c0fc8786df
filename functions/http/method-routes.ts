import type { Method } from "@middy/http-router";
import type { RouteKey } from "../routes.ts";

/** The methods that the gateway forwards, in the order of the `Allow` header. */
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** The route of one method of a path. */
export interface MethodRoute<Key> {
  readonly method: Method;
  readonly path: string;
  /**
   * The route of the method; for HEAD, the GET route of the path. Undefined if the path does not
   * support the method.
   */
  readonly key: Key | undefined;
  /** The methods that the path supports. */
  readonly allow: readonly string[];
}

/**
 * Returns an entry for each path of a group and each method that the gateway forwards. A path with
 * an `ANY` route has a single entry. The methods that a path does not support have entries too.
 * Otherwise a call with such a method would match a less specific path: `GET
 * /v1/watchlists/estimate` must not look up a watchlist with the ID `estimate`.
 * @param hasPreflight true if pages of other origins may read the paths: OPTIONS is then in
 * `allow`, without a route
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
