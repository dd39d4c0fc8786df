import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A request as the source server receives it, with its path decoded. */
export interface SourceRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

/** The format of a correct source. Misbehaviors change parts of its replies. */
export interface SourceSpeech {
  /** The media type of a correct reply, without a charset. */
  readonly contentType: string;
  /** Returns the requested IDs; null for a request that is not about items. */
  readonly idsOf: (request: SourceRequest) => readonly string[] | null;
  /** Returns the response to a request without IDs; undefined to respond with 404. */
  readonly aside?: (request: SourceRequest) => string | undefined;
  /** Returns the source's result for an ID. With `isDearer`, a price or a similar field differs. */
  readonly entry: (id: string, isDearer?: boolean) => unknown;
  /** Returns a reply with these entries that is marked as complete. */
  readonly reply: (entries: readonly unknown[]) => unknown;
  /** Serializes a reply to the text of the response body. */
  readonly written: (reply: unknown) => string;
}

/** A request about items, with the response that a `Play` writes. */
export interface Question {
  readonly speech: SourceSpeech;
  readonly ids: readonly string[];
  /** The position of this request among the requests about items, from 1. */
  readonly number: number;
  readonly response: ServerResponse;
  readonly at: Date;
}

export interface MisbehavingServer {
  readonly url: string;
  readonly questions: readonly Question[];
  /** Returns the largest number of bytes sent over one closed connection. */
  bytesSent(): number;
  /** Returns the number of requests whose response has not ended. */
  underWay(): number;
  stop(): Promise<void>;
}

/**
 * Starts an HTTP server on loopback that acts as a source. `answer` responds to each request about
 * items. The server responds to all other requests itself, as a correct source does.
 */
export async function startMisbehaving(
  speech: SourceSpeech,
  answer: (question: Question) => void,
): Promise<MisbehavingServer> {
  const questions: Question[] = [];
  const open = new Set<ServerResponse>();
  let bytes = 0;
  const react = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { socket } = incoming;
    open.add(response);
    response.once("close", () => {
      bytes = Math.max(bytes, socket.bytesWritten);
      open.delete(response);
    });
    const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://double.invalid");
    const path = decodeURIComponent(pathname);
    const request = { path, query: searchParams, body: await text(incoming) };
    const ids = speech.idsOf(request);
    if (ids === null) return answerAside(response, speech.aside?.(request));
    const question = { speech, ids, number: questions.length + 1, response, at: new Date() };
    questions.push(question);
    answer(question);
  };
  const server = createServer((incoming, response) => {
    react(incoming, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    questions,
    bytesSent: () => bytes,
    underWay: () => open.size,
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function answerAside(response: ServerResponse, body: string | undefined): void {
  response.writeHead(body === undefined ? 404 : 200, { "Content-Type": "application/json" });
  response.end(body);
}
