import type { SourceReply } from "../http/source-client.ts";

/** Returns the status of an answer; undefined if there was none. */
export const statusOf = (reply: SourceReply): number | undefined =>
  reply.kind === "answered" ? reply.status : undefined;

/** Parses the JSON of an answer in its declared charset; returns undefined if it is not JSON. */
export function jsonOf(reply: SourceReply): unknown {
  if (reply.kind !== "answered") return undefined;
  try {
    return JSON.parse(decoderFor(reply.headers.get("content-type") ?? "").decode(reply.body));
  } catch {
    return undefined;
  }
}

/** Some servers send JSON in another charset than UTF-8 and declare it. */
function decoderFor(contentType: string): InstanceType<typeof TextDecoder> {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1];
  try {
    return new TextDecoder(charset ?? "utf-8");
  } catch {
    return new TextDecoder();
  }
}
