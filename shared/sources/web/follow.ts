import type { SourceClient, SourceReply } from "../http/source-client.ts";
import { isOfSite } from "./address.ts";

const redirectsMax = 3;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export type Answered = Extract<SourceReply, { kind: "answered" }>;

/** The final response after redirects. */
export interface Landing {
  /** The address that returned the response. */
  readonly url: URL;
  readonly answer: Answered;
}

/** How to follow redirects within a site. */
export interface FollowOptions {
  readonly client: SourceClient;
  /** The site within which redirects are followed. */
  readonly site: URL;
  readonly accept: string;
  readonly deadline: Date;
  /**
   * Called before every request, including redirects. If it resolves to false, the request is not
   * sent.
   */
  readonly canVisit: (url: URL) => Promise<boolean>;
}

/**
 * Sends a GET request and follows at most three redirects within the site, all through the same
 * client. Returns null if a request is not allowed or gets no complete response. Also returns null
 * for a redirect that repeats an address, exceeds the limit, leaves the site or has no valid
 * `Location`.
 */
export async function follow(start: URL, options: FollowOptions): Promise<Landing | null> {
  const { client, site, accept, deadline, canVisit } = options;
  const visited = new Set<string>();
  let url = start;
  for (let steps = 0; steps <= redirectsMax; steps += 1) {
    if (visited.has(url.href) || !(await canVisit(url))) return null;
    visited.add(url.href);
    const answer = await client.send({ method: "GET", url, headers: { Accept: accept } }, deadline);
    if (answer.kind !== "answered") return null;
    if (!redirectStatuses.has(answer.status)) return { url, answer };
    const location = answer.headers.get("location") ?? "";
    if (location === "" || !URL.canParse(location, url.href)) return null;
    const next = new URL(location, url);
    next.hash = "";
    if (!isOfSite(next, site)) return null;
    url = next;
  }
  return null;
}
