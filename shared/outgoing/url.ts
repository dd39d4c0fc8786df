import { isIP } from "node:net";
import type { AddressPolicy } from "./address-policy.ts";

/** The addresses of this service, which no customer may use as a URL. */
export interface OwnAddresses {
  /**
   * The service's own hosts. An entry `host` refuses URLs with this host, whatever their port. An
   * entry `host:port` refuses only URLs with both this host and this port. The local server uses
   * such an entry, because receivers run on the same host.
   */
  readonly hosts: readonly string[];
  /**
   * ID of the API in API Gateway. URLs with its execute-api host are refused, even if clients call
   * the service by another host. Null if the ID is unknown.
   */
  readonly apiId: string | null;
}

/** The rules for URLs of customers. */
export interface UrlRules {
  readonly policy: AddressPolicy;
  readonly own: OwnAddresses;
}

/**
 * The result of parsing a customer's URL: the normalized URL and its host, or the reason of a
 * refusal.
 */
export type ParsedUrl =
  | { readonly outcome: "accepted"; readonly href: string; readonly hostname: string }
  | { readonly outcome: "refused"; readonly reason: string };

/** Maximum length of a URL, in characters. */
export const urlLengthMax = 2_048;
const nameLengthMax = 253;
const labelLengthMax = 63;
const unprivilegedPortMin = 1_024;

/** Host names, and suffixes of host names, that never belong to a public host. */
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
 * Parses a customer's URL. Accepts HTTPS, a public host that is not this service, and port 443 or
 * 1024 to 65535. Refuses a user name or password. If the policy allows loopback, also accepts plain
 * HTTP and loopback hosts. For an accepted URL, `href` is the normalized form, which must be parsed
 * only with the WHATWG `URL` class. For a refused URL, `reason` completes a sentence that starts
 * with the parameter name.
 */
export function parsePublicUrl(raw: string, rules: UrlRules): ParsedUrl {
  const problem = textProblem(raw, rules.policy.allowLoopback);
  if (problem !== null) return refusedFor(problem);
  const url = URL.parse(raw);
  if (url === null) return refusedFor("must be a valid URL");
  tidy(url);
  const foundProblem = urlProblem(url, rules);
  if (foundProblem !== null) return refusedFor(foundProblem);
  return { outcome: "accepted", href: url.href, hostname: bareHost(url.hostname) };
}

/**
 * Normalizes a URL: removes the fragment, and the trailing dot of the host. Returns null if the
 * string is not a URL.
 */
export function normalizeUrl(raw: string): string | null {
  const url = URL.parse(raw);
  if (url === null) return null;
  tidy(url);
  return url.href;
}

/**
 * Removes the parts that do not affect the destination: the fragment, and the trailing dot of the
 * host.
 */
function tidy(url: URL): void {
  url.hash = "";
  url.hostname = url.hostname.replace(/\.$/, "");
}

/**
 * Removes the brackets of an IPv6 host, which `net` and DNS do not accept. Returns other hosts
 * unchanged.
 */
export const bareHost = (hostname: string): string => hostname.replaceAll(/^\[|\]$/g, "");

const refusedFor = (reason: string): ParsedUrl => ({ outcome: "refused", reason });

/**
 * Returns the problem of a string that the URL parser would silently correct or hide; null if there
 * is none.
 */
function textProblem(raw: string, plainHttp: boolean): string | null {
  if (raw.length > urlLengthMax) return `must have at most ${urlLengthMax} characters`;
  // eslint-disable-next-line no-control-regex -- the check rejects control characters.
  if (/[\u0000-\u0020\u007f\\]/.test(raw))
    return "must not contain spaces, control characters or '\\'";
  const scheme = plainHttp ? /^https?:\/\/(?!\/)/i : /^https:\/\/(?!\/)/i;
  if (!scheme.test(raw)) return "must start with https://";
  const [authority = ""] = raw.slice(raw.indexOf("//") + 2).split(/[/?#]/, 1);
  return authority.includes("@") ? "must not contain a user name or password" : null;
}

/** Returns the rule that a parsed URL violates, as the end of a message; null if there is none. */
function urlProblem(url: URL, { policy, own }: UrlRules): string | null {
  if (url.username !== "" || url.password !== "") return "must not contain a user name or password";
  const port = url.port === "" ? defaultPort(url) : Number(url.port);
  if (port !== 443 && port < unprivilegedPortMin) return "must use port 443 or 1024 to 65535";
  if (isOwn(url, own, policy)) return "must not be this service";
  const host = bareHost(url.hostname);
  if (isIP(host) !== 0) return policy.allows(host) ? null : "must have a public host";
  if (policy.allowLoopback && host === "localhost") return null;
  return nameProblem(host);
}

/** Returns true for a URL of this service. */
function isOwn(
  { host, hostname }: URL,
  { hosts, apiId }: OwnAddresses,
  { allowLoopback }: AddressPolicy,
): boolean {
  const name = hostname.replace(/\.$/, "");
  if (apiId !== null && name.startsWith(`${apiId}.execute-api.`)) return true;
  return hosts
    .map((own) => own.toLowerCase())
    .some((own) => (allowLoopback ? host === own : name === own.replace(/:\d+$/, "")));
}

const defaultPort = (url: URL): number => (url.protocol === "http:" ? 80 : 443);

/** Returns what is wrong with a host name, as the end of a message; null if it may be public. */
function nameProblem(host: string): string | null {
  const name = host.replace(/\.$/, "");
  const labels = name.split(".");
  const wellFormed =
    name.length <= nameLengthMax &&
    labels.every((label) => label.length > 0 && label.length <= labelLengthMax) &&
    !/^\d+$/.test(labels.at(-1) ?? "");
  if (!wellFormed) return "must have a valid host name";
  const internal =
    labels.length === 1 ||
    refusedSuffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`));
  return internal ? "must have a public host" : null;
}
