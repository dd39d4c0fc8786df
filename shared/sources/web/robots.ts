import robotsModule from "robots-parser";
import type { Clock } from "../../base/clock.ts";
import type { SourceClient } from "../http/source-client.ts";
import { follow } from "./follow.ts";

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its types are those of another module system
const parseRobots = robotsModule as unknown as typeof robotsModule.default;

const millisecondsPerHour = 3_600_000;
/** How long rules hold, and how long it counts that there were none to be had. */
const rulesHoldMs = 24 * millisecondsPerHour;
const silenceHoldsMs = 60_000;
/** Rules beyond this are not read. */
const rulesBytesMax = 512 * 1024;
/** No crawl delay is kept beyond this: it would be a site's slip, or its way to say no. */
const crawlDelayMsMax = millisecondsPerHour;
/** No call has more time. */
const waitMsMax = 600_000;

/** What a site's robots.txt says. */
export interface RobotsRules {
  isAllowed(url: URL): boolean;
  /** The least time between two calls, at most an hour; 0 when nothing is asked. */
  readonly gapMs: number;
}

export interface Robots {
  /** The rules of an address's host. */
  rulesFor(url: URL, deadline: Date): Promise<RobotsRules>;
}

export interface RobotsOptions {
  readonly client: SourceClient;
  readonly clock: Clock;
  readonly site: URL;
  readonly userAgent: string;
  readonly note?: ((problem: string) => void) | undefined;
}

interface Known {
  rules: Promise<RobotsRules>;
  until: number;
}

const everything: RobotsRules = { isAllowed: () => true, gapMs: 0 };
const nothing: RobotsRules = { isAllowed: () => false, gapMs: 0 };

/**
 * Rules of a site's hosts (RFC 9309), each read once a day: a 4xx allows everything; a 5xx, or no
 * answer, allows nothing for now, which is asked again after a minute.
 */
export function robots(options: RobotsOptions): Robots {
  const { clock } = options;
  const known = new Map<string, Known>();
  const read = async (url: URL, deadline: Date, entry: Known): Promise<RobotsRules> => {
    const rules = await readRules(url, deadline, options);
    const now = clock.now();
    entry.until = now.getTime() + (rules === nothing ? silenceHoldsMs : rulesHoldMs);
    // Running out of one call's time says nothing about the site.
    if (rules === nothing && now >= deadline) known.delete(url.origin);
    return rules;
  };
  return {
    rulesFor(url, deadline) {
      const now = clock.now().getTime();
      const before = known.get(url.origin);
      // Another call may have more time to wait for the rules than this one.
      if (before !== undefined && now < before.until) {
        return withinMs(before.rules, deadline.getTime() - now);
      }
      const entry: Known = { rules: Promise.resolve(nothing), until: Infinity };
      known.set(url.origin, entry);
      entry.rules = read(url, deadline, entry);
      return entry.rules;
    },
  };
}

/** The rules, or those that allow nothing when they do not come in time. */
function withinMs(rules: Promise<RobotsRules>, milliseconds: number): Promise<RobotsRules> {
  const late = AbortSignal.timeout(Math.min(waitMsMax, Math.max(0, Math.floor(milliseconds))));
  return new Promise((resolve, reject) => {
    late.addEventListener("abort", () => resolve(nothing), { once: true });
    rules.then(resolve, reject);
  });
}

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
    mayVisit: async () => true,
  });
  const status = landing?.answer.status ?? 0;
  // Being asked too often is no leave to ask for more.
  if (landing === null || status === 429) return nothing;
  if (status >= 400 && status < 500) return everything;
  if (status !== 200) return nothing;
  const rules = rulesIn(landing.answer.body, origin, userAgent);
  if (rules.gapMs > crawlDelayMsMax) {
    note?.(`${origin}/robots.txt asks for ${rules.gapMs / 1_000} s between pages; an hour is kept`);
  }
  return { ...rules, gapMs: Math.min(crawlDelayMsMax, rules.gapMs) };
}

function rulesIn(body: Uint8Array, origin: string, userAgent: string): RobotsRules {
  const text = new TextDecoder().decode(body.subarray(0, rulesBytesMax));
  const rules = parseRobots(`${origin}/robots.txt`, plainlyEncoded(text));
  const gapMs = Math.max(0, (rules.getCrawlDelay(userAgent) ?? 0) * 1_000);
  return { gapMs, isAllowed: (url) => rules.isAllowed(comparable(url), userAgent) !== false };
}

/** An address with what the parser encodes in rules encoded too, and nothing else (RFC 9309, 2.2.2). */
const comparable = ({ origin, pathname, search }: URL): string =>
  origin + plainlyEncoded(encodeURI(pathname + search).replaceAll("%25", "%"));

/** What needs no percent-encoding stands for itself; the parser makes the rest upper case. */
const plainlyEncoded = (text: string): string =>
  text.replaceAll(/%(?:2[DE]|3\d|4[1-9A-F]|5[\dAF]|6[1-9A-F]|7[\dAE])/gi, (encoded) =>
    decodeURIComponent(encoded),
  );
