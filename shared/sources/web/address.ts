import { isLoopbackHost } from "../../base/loopback.ts";

const placeholder = "{id}";

/**
 * Returns true if a string is a valid template of product page addresses: an `https://` address
 * that contains `{id}` exactly once, in the path or query. `http://` is allowed only for loopback
 * addresses.
 */
export function isUrlTemplate(template: string): boolean {
  if (template.split(placeholder).length !== 2) return false;
  const filled = template.replace(placeholder, "0");
  if (!URL.canParse(filled)) return false;
  const { origin, username, password, hash } = new URL(filled);
  if (username !== "" || password !== "" || hash !== "" || !isSafe(new URL(filled))) return false;
  // The ID must not change the scheme, host or port of the address.
  const other = template.replace(placeholder, "1");
  return URL.canParse(other) && new URL(other).origin === origin;
}

/**
 * Returns the address of an item's page: the template with the percent-encoded ID.
 * @throws TypeError if the result is not a URL
 */
export const addressOf = (template: string, id: string): URL =>
  new URL(template.replace(placeholder, () => encodeURIComponent(id)));

/**
 * Returns true if an address is on the host of `site` or on a subdomain of that host. A leading
 * `www.` of the site is ignored. The port must be equal, and the address must not use `http://` if
 * the site uses `https://`. Registrable domains are not compared, because that requires the public
 * suffix list.
 */
export function isOfSite(address: URL, site: URL): boolean {
  const base = site.hostname.replace(/^www\./, "");
  const isHost = address.hostname === base || address.hostname.endsWith(`.${base}`);
  const isSecure = address.protocol === "https:" || address.protocol === site.protocol;
  return isHost && isSecure && isSafe(address) && address.port === site.port;
}

const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname));
