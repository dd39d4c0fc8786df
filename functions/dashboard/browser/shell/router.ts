import { useEffect, useState } from "preact/hooks";

/** Where in the dashboard: what stands behind `#`. */
export interface Place {
  /** `/watchlists/wl_1`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

export type Parameters = Readonly<Record<string, string>>;

function here(): Place {
  const [path = "", query = ""] = location.hash.slice(1).split("?");
  return {
    path: path === "" || path === "/" ? "/overview" : path,
    query: new URLSearchParams(query),
  };
}

export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const follow = (): void => setPlace(here());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return place;
}

/** The address of a page of the dashboard, for links. @param path such as `/watchlists/wl_1` */
export function linkTo(
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  const search = new URLSearchParams(given).toString();
  return `#${path}${search === "" ? "" : `?${search}`}`;
}

export function navigate(link: string): void {
  location.hash = link.slice(1);
}

/** Keeps a filter in the address without a new entry in the history. */
export function replacePlace(link: string): void {
  history.replaceState(null, "", link);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/**
 * The parameters in braces when a path is one of a pattern; undefined when it is not. They are ids,
 * in which nothing is encoded: whatever is stays so, and leads nowhere.
 */
export function matchPath(pattern: string, path: string): Parameters | undefined {
  const wanted = pattern.split("/");
  const parts = path.split("/");
  if (wanted.length !== parts.length) return undefined;
  const found: Record<string, string> = {};
  for (const [n, part] of wanted.entries()) {
    const actual = parts[n] ?? "";
    if (part.startsWith("{")) found[part.slice(1, -1)] = actual;
    else if (part !== actual) return undefined;
  }
  return found;
}
