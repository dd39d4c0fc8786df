import type { SourceReply } from "../http/source-client.ts";
import { type CatalogReply, parseCatalogReply } from "./catalog-reply.ts";
import { endpointFinder, type StoreDependencies, type StoreOptions } from "./endpoint.ts";
import { type CatalogTool, toolCallBody, toolCallHeaders } from "./tool-call.ts";
import { parseToolReply, type ToolReply, versionUnsupported } from "./tool-reply.ts";

/** A reply of a store, with the parsed result or error. */
export interface StoreReply {
  readonly reply: SourceReply;
  readonly parsed: ToolReply;
  /** The content of the result; null if there is none or it is unreadable. */
  readonly catalog: CatalogReply | null;
}

/**
 * Calls a tool. Returns the reply; null if the store supports no version of the protocol that the
 * adapter can read, or if the deadline has passed.
 */
export type CallTool = (
  tool: CatalogTool,
  catalog: object,
  deadline: Date,
) => Promise<StoreReply | null>;

/**
 * Creates the function that calls the tools of one store. The function finds the store's endpoint
 * and a version of the protocol at its first call. If the store refuses the version, the function
 * calls the store again with the next older version.
 */
export function toolCaller(options: StoreOptions, dependencies: StoreDependencies): CallTool {
  const { client, clock } = dependencies;
  const endpoints = endpointFinder(options, dependencies);
  return async (tool, catalog, deadline) => {
    for (;;) {
      if (deadline <= clock.now()) return null;
      const endpoint = await endpoints.find(deadline);
      if (endpoint === null) return null;
      const body = toolCallBody(tool, endpoint.profile, catalog);
      const sent = { method: "POST", url: endpoint.url, headers: toolCallHeaders, body } as const;
      const replied = repliedOf(await client.send(sent, deadline));
      if (!isVersionRefusal(replied) || !endpoints.refuseVersion(endpoint)) return replied;
    }
  };
}

/** Parses the reply to a tool call. */
function repliedOf(reply: SourceReply): StoreReply {
  const parsed = parseToolReply(reply);
  const catalog = parsed.kind === "content" ? parseCatalogReply(parsed.content) : null;
  return { reply, parsed, catalog };
}

const isVersionRefusal = ({ parsed, catalog }: StoreReply): boolean =>
  parsed.kind === "error"
    ? parsed.reason === versionUnsupported
    : catalog?.errors.some(({ code }) => code === versionUnsupported) === true;
