import type { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { LoadHandler } from "../../../tools/local/lambda-host.ts";

type Handler = (event: never, ...rest: never[]) => unknown;

interface Streaming {
  readonly awslambda: {
    streamifyResponse(handler: Handler): Handler;
    readonly HttpResponseStream: { from(stream: Writable, metadata: object): Writable };
  };
}

/**
 * Returns a loader that loads `handlers` by name. Every other name gets a handler whose response
 * contains the name, environment, overrides and event as JSON.
 */
export function loadFixture(handlers: Readonly<Record<string, Handler>> = {}): LoadHandler {
  return async (name) => ({
    createHandler: (environment: unknown, overrides: unknown) =>
      handlers[name] ??
      (async (event: unknown) => ({
        statusCode: 200,
        body: JSON.stringify({ name, environment, overrides, event }),
      })),
  });
}

/** Streams three parts, the last only after `waiting` has ended. */
export function streamingHandler(waiting: Promise<unknown>): Handler {
  const { awslambda } = globalThis as unknown as Streaming;
  return awslambda.streamifyResponse(async (event: { path: string }, responseStream: Writable) => {
    const stream = awslambda.HttpResponseStream.from(responseStream, {
      statusCode: 201,
      headers: { "content-type": "text/plain", "x-path": event.path },
      multiValueHeaders: { "x-many": ["a", "b"] },
    });
    stream.write("one ");
    stream.write("two ");
    await waiting;
    stream.end("three");
    await delay(1);
  });
}
