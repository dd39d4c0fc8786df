import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { mayLeave } from "../ui/leaving.ts";

/** A location in the dashboard: the part of the address after `#`. */
export interface Place {
  /** The path, such as `/watchlists/wl_1`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** The values of the path parameters, by name. */
export type Parameters = Readonly<Record<string, string>>;

const here = (): Place => placeOf(location.hash);

function placeOf(link: string): Place {
  const [path = "", query = ""] = link.slice(1).split("?");
  return {
    path: path === "" || path === "/" ? "/changes" : path,
    query: new URLSearchParams(query),
  };
}

let shown: Place | undefined;
/**
 * The number of the history entry that this browser tab shows. The state of the history entry
 * contains the same number.
 */
let at = 0;
const followers = new Set<(place: Place) => void>();

/**
 * The state that a page keeps in an entry of the browser history. When the user returns, the page
 * restores this state.
 */
export interface KeptEntry {
  /** Number of loaded pages of the page's listing. */
  pages: number;
  /** Vertical scroll position in pixels when the user left the page. */
  scroll: number;
}

const keptEntries = new Map<number, KeptEntry>();

/**
 * Returns the state that the current page keeps in its entry of the browser history: the number of
 * loaded pages and the scroll position. The page may change the returned object.
 */
export function keptEntry(): KeptEntry {
  const kept = keptEntries.get(at) ?? { pages: 1, scroll: 0 };
  keptEntries.set(at, kept);
  return kept;
}

/** Sets the current place from the address, and notifies all followers. */
function take(): void {
  shown = here();
  for (const follow of followers) follow(shown);
}

/**
 * Returns true if a place is on another page or tab than the current place. Returns false if only
 * the filters differ.
 */
const isElsewhere = (place: Place): boolean =>
  shown !== undefined &&
  (place.path !== shown.path || place.query.get("tab") !== shown.query.get("tab"));

function entryNumber(): number | undefined {
  const { at: number }: { at?: unknown } = Object(history.state);
  return typeof number === "number" ? number : undefined;
}

function numberEntry(number: number): void {
  at = number;
  history.replaceState({ at }, "");
}

/**
 * Makes the dashboard show the page of the new address whenever the address changes. If the user
 * decides to keep unsaved changes, restores the previous address instead.
 */
export function followAddress(): void {
  numberEntry(entryNumber() ?? 0);
  shown = here();
  addEventListener("hashchange", () => {
    // An entry of the browser history without a number is new, so it gets the next number.
    const known = entryNumber();
    const arrived = known ?? at + 1;
    if (isElsewhere(here()) && !mayLeave()) return history.go(at - arrived);
    keptEntry().scroll = scrollY;
    if (known === undefined) keptEntries.delete(arrived);
    numberEntry(arrived);
    return take();
  });
}

/** Returns the current path and query, and renders the component again when they change. */
export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  // A layout effect subscribes before the next `hashchange`, which would otherwise be missed.
  useLayoutEffect(() => {
    followers.add(setPlace);
    return () => {
      followers.delete(setPlace);
    };
  }, []);
  return place;
}

/**
 * Returns the link to a page of the dashboard, such as `#/watchlists/wl_1`. Omits empty and
 * undefined query parameters.
 */
export function linkTo(
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  const search = new URLSearchParams(given).toString();
  return `#${path}${search === "" ? "" : `?${search}`}`;
}

/**
 * Returns a function that opens a page after an action, without asking about unsaved changes. The
 * function does nothing once the component is unmounted, so that a late response does not move a
 * user who has left the page.
 */
export function useNavigate(): (link: string) => void {
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );
  return useCallback((link) => {
    if (isGone.current) return;
    keptEntry().scroll = scrollY;
    at += 1;
    keptEntries.delete(at);
    history.pushState({ at }, "", link);
    take();
  }, []);
}

/**
 * Scrolls to the position at which the user left the page, once the page is loaded.
 * @param isLoaded true if the page is as long as it was when the user left it
 */
export function useKeptScroll({ scroll }: KeptEntry, isLoaded: boolean): void {
  const target = useRef(scroll);
  useEffect(() => {
    if (!isLoaded || target.current === 0) return;
    scrollTo(0, target.current);
    target.current = 0;
  }, [isLoaded]);
}

/**
 * Shows the place to which `link` leads, without a new entry in the browser history; use it for
 * filters and tabs. If the link leads to another page or tab, first asks the user about unsaved
 * changes. Does nothing if the user decides to keep them.
 */
export function replacePlace(link: string): void {
  if (isElsewhere(placeOf(link)) && !mayLeave()) return;
  history.replaceState(history.state, "", link);
  take();
}

/**
 * Returns the values of a pattern's parameters in braces; undefined if the path does not match the
 * pattern. Does not decode the values, because IDs contain no encoded characters.
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
