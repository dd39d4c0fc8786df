import type { SourceClient, SourceReply } from "../http/source-client.ts";
import { isOfSite } from "./address.ts";

const redirectsMax = 3;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export type Answered = Extract<SourceReply, { kind: "answered" }>;

/** The last answer of a chain of redirects. */
export interface Landing {
  /** The address of the answer. */
  readonly url: URL;
  readonly answer: Answered;
}

export interface FollowOptions {
  readonly client: SourceClient;
  /** Redirects to other sites are not followed. */
  readonly site: URL;
  readonly accept: string;
  readonly deadline: Date;
  /** Called before every request; false ends the chain. */
  readonly canVisit: (url: URL) => Promise<boolean>;
}

/**
 * Sends a GET and follows up to three redirects within the site, all through the same client.
 * Returns null without a complete answer, and for a redirect that repeats an address, exceeds the
 * limit, or leaves the site.
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
