import { isIP } from "node:net";
import type { AddressPolicy } from "./address-policy.ts";

export interface UrlRules {
  readonly policy: AddressPolicy;
  /**
   * `host[:port]` of this service, which is refused on every port; null if unknown. On the local server
   * receivers run on the same host, so only its own port is refused.
   */
  readonly ownHost: string | null;
}

export type ParsedUrl =
  | { readonly outcome: "accepted"; readonly href: string; readonly hostname: string }
  | { readonly outcome: "refused"; readonly reason: string };

/** Maximum length of a URL, in characters. */
export const urlLengthMax = 2_048;
const nameLengthMax = 253;
const labelLengthMax = 63;
const unprivilegedPortMin = 1_024;

/** Names and suffixes of names that never belong to a public host. */
const refusedSuffixes = [
  "localhost",
  "local",
  "localdomain",
  "internal",
  "intranet",
  "lan",
  "home",
  "corp",
  "home.arpa",
  "arpa",
  "test",
  "example",
  "invalid",
  "onion",
  "alt",
  "svc",
] as const;

/**
 * Parses a URL of a customer: HTTPS, a public host, port 443 or 1024 to 65535. `href` is the
 * normalised URL to store; parse it only with WHATWG `URL`.
 */
export function parsePublicUrl(raw: string, rules: UrlRules): ParsedUrl {
  const problem = textProblem(raw, rules.policy.allowLoopback);
  if (problem !== null) return refusedFor(problem);
  const url = URL.parse(raw);
  if (url === null) return refusedFor("is not a valid URL");
  tidy(url);
  const found = urlProblem(url, rules);
  if (found !== null) return refusedFor(found);
  return { outcome: "accepted", href: url.href, hostname: bareHost(url.hostname) };
}

/** The normalised form of a URL; null if it is not a URL. */
export function normaliseUrl(raw: string): string | null {
  const url = URL.parse(raw);
  if (url === null) return null;
  tidy(url);
  return url.href;
}

/** Removes the fragment and the dot of the DNS root, which do not change the address. */
function tidy(url: URL): void {
  url.hash = "";
  url.hostname = url.hostname.replace(/\.$/, "");
}

/** A host without the brackets of IPv6 addresses, for `net` and DNS. */
export const bareHost = (hostname: string): string => hostname.replaceAll(/^\[|\]$/g, "");

const refusedFor = (reason: string): ParsedUrl => ({ outcome: "refused", reason });

/** Refuses text that the parser would silently repair or hide. */
function textProblem(raw: string, plainHttp: boolean): string | null {
  if (raw.length > urlLengthMax) return `is longer than ${urlLengthMax} characters`;
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for.
  if (/[\u0000-\u0020\u007f\\]/.test(raw)) return "contains spaces, control characters or '\\'";
  const scheme = plainHttp ? /^https?:\/\/(?!\/)/i : /^https:\/\/(?!\/)/i;
  if (!scheme.test(raw)) return "must start with https://";
  const [authority = ""] = raw.slice(raw.indexOf("//") + 2).split(/[/?#]/, 1);
  return authority.includes("@") ? "must not contain a user name or password" : null;
}

function urlProblem(url: URL, { policy, ownHost }: UrlRules): string | null {
  if (url.username !== "" || url.password !== "") return "must not contain a user name or password";
  const port = url.port === "" ? defaultPort(url) : Number(url.port);
  if (port !== 443 && port < unprivilegedPortMin) return "must use port 443 or 1024 to 65535";
  if (ownHost !== null && isOwn(url, ownHost, policy)) return "must not be this service";
  const host = bareHost(url.hostname);
  if (isIP(host) !== 0) return policy.allows(host) ? null : "must have a public host";
  if (policy.allowLoopback && host === "localhost") return null;
  return nameProblem(host);
}

function isOwn(
  { host, hostname }: URL,
  ownHost: string,
  { allowLoopback }: AddressPolicy,
): boolean {
  const own = ownHost.toLowerCase();
  return allowLoopback ? host === own : hostname.replace(/\.$/, "") === own.replace(/:\d+$/, "");
}

const defaultPort = (url: URL): number => (url.protocol === "http:" ? 80 : 443);

function nameProblem(host: string): string | null {
  const name = host.replace(/\.$/, "");
  const labels = name.split(".");
  const wellFormed =
    name.length <= nameLengthMax &&
    labels.every((label) => label.length > 0 && label.length <= labelLengthMax) &&
    !/^\d+$/.test(labels.at(-1) ?? "");
  if (!wellFormed) return "has a malformed host name";
  const internal =
    labels.length === 1 ||
    refusedSuffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`));
  return internal ? "must have a public host" : null;
}
