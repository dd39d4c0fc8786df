/** Where a page may name its own charset. */
const metaBytesMax = 4_096;
const metaCharset = /<meta\s[^>]{0,200}charset\s*=\s*["']?\s*([\w-]{1,40})/i;
const headerCharset = /charset\s*=\s*["']?\s*([\w-]{1,40})/i;

/** A page's text: in the charset of its header, else of its meta element, else in UTF-8. */
export function pageText(body: Uint8Array, contentType: string): string {
  const stated = headerCharset.exec(contentType)?.[1] ?? charsetWithin(body);
  return decoded(body, stated ?? "utf-8");
}

/** A page that could be read as far as its meta element is not in UTF-16, whatever it says. */
function charsetWithin(body: Uint8Array): string | undefined {
  const start = new TextDecoder("latin1").decode(body.subarray(0, metaBytesMax));
  const stated = metaCharset.exec(start)?.[1];
  return stated === undefined || /^utf-?16/i.test(stated) ? undefined : stated;
}

/** A charset that nobody knows is taken for UTF-8. */
function decoded(body: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
