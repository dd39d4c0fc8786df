import robotsModule from "robots-parser";
import type { Clock } from "../../base/clock.ts";
import type { SourceClient } from "../http/source-client.ts";
import { follow } from "./follow.ts";

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its types are those of another module system
const parseRobots = robotsModule as unknown as typeof robotsModule.default;

const millisecondsPerHour = 3_600_000;
/**
 * Milliseconds for which downloaded rules are cached. A failed download is cached for a shorter
 * time, and is then retried.
 */
const rulesCacheMs = 24 * millisecondsPerHour;
const failureCacheMs = 60_000;
/** Maximum size of a robots.txt that is read, in bytes. The rest of a longer file is ignored. */
const rulesBytesMax = 512 * 1024;
/**
 * The maximum crawl delay. A longer delay in robots.txt is reduced to this value, with a warning.
 */
const crawlDelayMsMax = millisecondsPerHour;
/**
 * Longest wait for rules that another call has requested, in milliseconds. No call may take this
 * long, so the wait normally ends at the deadline of the waiting call.
 */
const waitMsMax = 600_000;

/** The rules of a site's robots.txt. */
export interface RobotsRules {
  /** Returns true if the rules allow a request to the address. */
  isAllowed(url: URL): boolean;
  /**
   * The minimum time between two calls in milliseconds, at most an hour; 0 if the site requires
   * none.
   */
  readonly gapMs: number;
}

/** Gives the robots.txt rules of the hosts of one site. */
export interface Robots {
  /**
   * Returns the rules for the origin of an address. If the rules are not available by the deadline,
   * returns rules that allow nothing.
   */
  rulesFor(url: URL, deadline: Date): Promise<RobotsRules>;
}

export interface RobotsOptions {
  readonly client: SourceClient;
  readonly clock: Clock;
  readonly site: URL;
  readonly userAgent: string;
  readonly note?: ((problem: string) => void) | undefined;
}

interface CachedRules {
  rules: Promise<RobotsRules>;
  until: number;
}

const allowAll: RobotsRules = { isAllowed: () => true, gapMs: 0 };
const allowNone: RobotsRules = { isAllowed: () => false, gapMs: 0 };

/**
 * Creates a reader of the robots.txt rules of a site's hosts (RFC 9309). The rules of a host are
 * cached for a day. If the host responds to the request for robots.txt with a 4xx status other than
 * 429, every request is allowed. After any other failure, no request is allowed, and robots.txt is
 * requested again after a minute.
 */
export function robots(options: RobotsOptions): Robots {
  const { clock } = options;
  const known = new Map<string, CachedRules>();
  const read = async (url: URL, deadline: Date, entry: CachedRules): Promise<RobotsRules> => {
    const rules = await readRules(url, deadline, options);
    const now = clock.now();
    entry.until = now.getTime() + (rules === allowNone ? failureCacheMs : rulesCacheMs);
    // If the deadline of this call has passed, the read may have failed only for this reason. The
    // failure is then not cached, so the next call reads the rules again.
    if (rules === allowNone && now >= deadline) known.delete(url.origin);
    return rules;
  };
  return {
    rulesFor(url, deadline) {
      const now = clock.now().getTime();
      const before = known.get(url.origin);
      // Another call may have requested these rules, with a later deadline. Without a limit, this
      // call would wait beyond its own deadline.
      if (before !== undefined && now < before.until) {
        return withTimeout(before.rules, deadline.getTime() - now);
      }
      const entry: CachedRules = { rules: Promise.resolve(allowNone), until: Infinity };
      known.set(url.origin, entry);
      entry.rules = read(url, deadline, entry);
      return entry.rules;
    },
  };
}

/** Resolves to the rules, or to rules that allow nothing if the rules do not arrive in time. */
function withTimeout(rules: Promise<RobotsRules>, milliseconds: number): Promise<RobotsRules> {
  const late = AbortSignal.timeout(Math.min(waitMsMax, Math.max(0, Math.floor(milliseconds))));
  return new Promise((resolve, reject) => {
    late.addEventListener("abort", () => resolve(allowNone), { once: true });
    rules.then(resolve, reject);
  });
}

/**
 * Requests the robots.txt of a host, and returns its rules (see `robots`). Warns of a crawl delay
 * of more than an hour.
 */
async function readRules(
  { origin }: URL,
  deadline: Date,
  { client, site, userAgent, note }: RobotsOptions,
): Promise<RobotsRules> {
  const landing = await follow(new URL("/robots.txt", origin), {
    client,
    site,
    accept: "text/plain, */*;q=0.1",
    deadline,
    canVisit: async () => true,
  });
  const status = landing?.answer.status ?? 0;
  // A 429 requests fewer calls, so it must not allow every page. With any other 4xx status, a
  // robots.txt counts as absent, and every page is allowed.
  if (landing === null || status === 429) return allowNone;
  if (status >= 400 && status < 500) return allowAll;
  if (status !== 200) return allowNone;
  const rules = rulesIn(landing.answer.body, origin, userAgent);
  if (rules.gapMs > crawlDelayMsMax) {
    note?.(
      `${origin}/robots.txt requests ${rules.gapMs / 1_000} s between pages; the service waits 3600 s`,
    );
  }
  return { ...rules, gapMs: Math.min(crawlDelayMsMax, rules.gapMs) };
}

/** Parses a robots.txt to the rules for this User-Agent. */
function rulesIn(body: Uint8Array, origin: string, userAgent: string): RobotsRules {
  const text = new TextDecoder().decode(body.subarray(0, rulesBytesMax));
  const rules = parseRobots(`${origin}/robots.txt`, plainlyEncoded(text));
  const gapMs = Math.max(0, (rules.getCrawlDelay(userAgent) ?? 0) * 1_000);
  return { gapMs, isAllowed: (url) => rules.isAllowed(comparable(url), userAgent) !== false };
}

/**
 * Encodes an address as the parser encodes the paths in rules, so that the address can be compared
 * with the paths (RFC 9309, section 2.2.2).
 */
const comparable = ({ origin, pathname, search }: URL): string =>
  origin + plainlyEncoded(encodeURI(pathname + search).replaceAll("%25", "%"));

/**
 * Decodes the percent-encoding of unreserved characters, so that an address also matches a rule
 * with another encoding. `robots-parser` converts the other encodings to upper case.
 */
const plainlyEncoded = (text: string): string =>
  text.replaceAll(/%(?:2[DE]|3\d|4[1-9A-F]|5[\dAF]|6[1-9A-F]|7[\dAE])/gi, (encoded) =>
    decodeURIComponent(encoded),
  );
