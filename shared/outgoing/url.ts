import { isIP } from "node:net";
import type { AddressPolicy } from "./address-policy.ts";

export interface UrlRules {
  readonly policy: AddressPolicy;
  /**
   * `host[:port]` of this service, which must not call itself, on whatever port; null: not known.
   * In the local world receivers live on the same host, and the port tells them apart.
   */
  readonly ownHost: string | null;
}

export type ParsedUrl =
  | { readonly outcome: "accepted"; readonly href: string; readonly hostname: string }
  | { readonly outcome: "refused"; readonly reason: string };

/** The longest address of a receiver or a store, in characters. */
export const urlLengthMax = 2_048;
const nameLengthMax = 253;
const labelLengthMax = 63;
const unprivilegedPortMin = 1_024;

/** Names that never lead to a public host, by themselves or as the end of a name. */
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
 * Parses an address that a customer wants called: HTTPS, a public host, port 443 or 1024 to 65535.
 * `href` is the normalised address to store; it must never be parsed by anything but WHATWG `URL`.
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

/** The form in which an accepted address is stored, or null when it is no URL. */
export function normaliseUrl(raw: string): string | null {
  const url = URL.parse(raw);
  if (url === null) return null;
  tidy(url);
  return url.href;
}

/** Takes off what makes no other address: the fragment, and the dot of the DNS root. */
function tidy(url: URL): void {
  url.hash = "";
  url.hostname = url.hostname.replace(/\.$/, "");
}

/** A host as `net` and DNS name it: IPv6 addresses without their brackets. */
export const bareHost = (hostname: string): string => hostname.replaceAll(/^\[|\]$/g, "");

const refusedFor = (reason: string): ParsedUrl => ({ outcome: "refused", reason });

/** What parsing would quietly repair or hide is refused before it. */
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
