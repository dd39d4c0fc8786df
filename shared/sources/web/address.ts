const placeholder = "{id}";
const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Whether a text is a template of product pages' addresses: `https://` (`http://` only for this
 * machine's own addresses), with `{id}` once in its path or query and nowhere else.
 */
export function isUrlTemplate(template: string): boolean {
  if (template.split(placeholder).length !== 2) return false;
  const filled = template.replace(placeholder, "0");
  if (!URL.canParse(filled)) return false;
  const { origin, username, password, hash } = new URL(filled);
  if (username !== "" || password !== "" || hash !== "" || !isSafe(new URL(filled))) return false;
  // Whatever the id is, the host stays the same.
  const other = template.replace(placeholder, "1");
  return URL.canParse(other) && new URL(other).origin === origin;
}

/** The address of an id's page. */
export const addressOf = (template: string, id: string): URL =>
  new URL(template.replace(placeholder, () => encodeURIComponent(id)));

/**
 * Whether an address belongs to the site of the template: its host without `www.`, or a part of it.
 * Narrower than a registrable domain, for which one would need the list of public suffixes.
 */
export function isOfSite(address: URL, site: URL): boolean {
  const base = site.hostname.replace(/^www\./, "");
  const isHost = address.hostname === base || address.hostname.endsWith(`.${base}`);
  const isSecure = address.protocol === "https:" || address.protocol === site.protocol;
  return isHost && isSecure && isSafe(address) && address.port === site.port;
}

const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && loopback.has(hostname));
