const placeholder = "{id}";
const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Returns true for a template of product page addresses: `https://` (`http://` only for loopback
 * addresses), with `{id}` exactly once, in the path or query.
 */
export function isUrlTemplate(template: string): boolean {
  if (template.split(placeholder).length !== 2) return false;
  const filled = template.replace(placeholder, "0");
  if (!URL.canParse(filled)) return false;
  const { origin, username, password, hash } = new URL(filled);
  if (username !== "" || password !== "" || hash !== "" || !isSafe(new URL(filled))) return false;
  // The host must not depend on the ID.
  const other = template.replace(placeholder, "1");
  return URL.canParse(other) && new URL(other).origin === origin;
}

/** Returns the page address of an ID. */
export const addressOf = (template: string, id: string): URL =>
  new URL(template.replace(placeholder, () => encodeURIComponent(id)));

/**
 * Returns true if an address belongs to the site of the template: its host without `www.`, or a
 * subdomain. Narrower than a registrable domain, which would need the public suffix list.
 */
export function isOfSite(address: URL, site: URL): boolean {
  const base = site.hostname.replace(/^www\./, "");
  const isHost = address.hostname === base || address.hostname.endsWith(`.${base}`);
  const isSecure = address.protocol === "https:" || address.protocol === site.protocol;
  return isHost && isSecure && isSafe(address) && address.port === site.port;
}

const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && loopback.has(hostname));
