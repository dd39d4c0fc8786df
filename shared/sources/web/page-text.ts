/** The part of a page that may declare its charset. */
const metaBytesMax = 4_096;
const metaCharset = /<meta\s[^>]{0,200}charset\s*=\s*["']?\s*([\w-]{1,40})/i;
const headerCharset = /charset\s*=\s*["']?\s*([\w-]{1,40})/i;

/** Decodes a page in the charset of its header, or else of its meta element, or else in UTF-8. */
export function pageText(body: Uint8Array, contentType: string): string {
  const stated = headerCharset.exec(contentType)?.[1] ?? charsetWithin(body);
  return decoded(body, stated ?? "utf-8");
}

/** A page whose meta element is readable as Latin-1 is not UTF-16, even if it declares so. */
function charsetWithin(body: Uint8Array): string | undefined {
  const start = new TextDecoder("latin1").decode(body.subarray(0, metaBytesMax));
  const stated = metaCharset.exec(start)?.[1];
  return stated === undefined || /^utf-?16/i.test(stated) ? undefined : stated;
}

/** Falls back to UTF-8 for an unknown charset. */
function decoded(body: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
