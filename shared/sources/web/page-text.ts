/** The number of bytes at the start of a page that are searched for a `<meta>` charset. */
const metaBytesMax = 4_096;
const metaCharset = /<meta\s[^>]{0,200}charset\s*=\s*["']?\s*([\w-]{1,40})/i;
const headerCharset = /charset\s*=\s*["']?\s*([\w-]{1,40})/i;

/**
 * Decodes a page in the charset that its `Content-Type` header states, otherwise in the charset
 * that its `<meta>` element states, otherwise in UTF-8. If the charset is unknown, decodes the page
 * in UTF-8.
 */
export function pageText(body: Uint8Array, contentType: string): string {
  const stated = headerCharset.exec(contentType)?.[1] ?? charsetWithin(body);
  return decode(body, stated ?? "utf-8");
}

/**
 * Returns the charset in a page's `<meta>` element; undefined if there is none. Also returns
 * undefined for UTF-16, because a page with a `<meta>` element that is readable as Latin-1 cannot
 * be in UTF-16.
 */
function charsetWithin(body: Uint8Array): string | undefined {
  const start = new TextDecoder("latin1").decode(body.subarray(0, metaBytesMax));
  const stated = metaCharset.exec(start)?.[1];
  return stated === undefined || /^utf-?16/i.test(stated) ? undefined : stated;
}

/** Decodes a page in a charset; in UTF-8 if the charset is unknown. */
function decode(body: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
