import type { SourceReply } from "../http/source-client.ts";

/** Returns the HTTP status of a reply; undefined if the source did not respond. */
export const statusOf = (reply: SourceReply): number | undefined =>
  reply.kind === "answered" ? reply.status : undefined;

/**
 * Decodes the body of a reply, in the charset that the reply declares. Returns undefined if the
 * source did not respond.
 */
export const textOf = (reply: SourceReply): string | undefined =>
  reply.kind === "answered"
    ? decoderFor(reply.headers.get("content-type") ?? "").decode(reply.body)
    : undefined;

/**
 * Parses the JSON body of a reply, in the charset that the reply declares. Returns undefined if the
 * source did not respond or the body is not JSON.
 */
export const jsonOf = (reply: SourceReply): unknown => parseJson(textOf(reply));

/** Parses a string as JSON. Returns undefined if the string is undefined or not JSON. */
export function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the decoder for the charset in `contentType`, because some servers send JSON in another
 * charset than UTF-8. Returns the decoder for UTF-8 if the charset is missing or unknown.
 */
function decoderFor(contentType: string): InstanceType<typeof TextDecoder> {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1];
  try {
    return new TextDecoder(charset ?? "utf-8");
  } catch {
    return new TextDecoder();
  }
}
