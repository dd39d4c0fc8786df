import type { SourceReply } from "../http/source-client.ts";

/** The status of an answer; undefined when there was none. */
export const statusOf = (reply: SourceReply): number | undefined =>
  reply.kind === "answered" ? reply.status : undefined;

/** The JSON in an answer, in the charset that it declares; undefined when it is none. */
export function jsonOf(reply: SourceReply): unknown {
  if (reply.kind !== "answered") return undefined;
  try {
    return JSON.parse(decoderFor(reply.headers.get("content-type") ?? "").decode(reply.body));
  } catch {
    return undefined;
  }
}

/** JSON is UTF-8, but some servers send it otherwise and say so. */
function decoderFor(contentType: string): InstanceType<typeof TextDecoder> {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1];
  try {
    return new TextDecoder(charset ?? "utf-8");
  } catch {
    return new TextDecoder();
  }
}
