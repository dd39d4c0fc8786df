import { Writable } from "node:stream";
import * as v from "valibot";

const headerValue = v.union([v.string(), v.number(), v.boolean()]);

/**
 * The prelude of a streamed response, which contains status, headers and cookies. It precedes the
 * body.
 */
export const preludeSchema = v.object({
  statusCode: v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(599)),
  headers: v.nullish(v.record(v.string(), headerValue)),
  multiValueHeaders: v.nullish(v.record(v.string(), v.array(headerValue))),
  cookies: v.nullish(v.array(v.string())),
});
export type Prelude = v.InferOutput<typeof preludeSchema>;

/** The receiver of a streamed response. */
export interface PreludeReceiver {
  /** Receives the prelude. Called before the first `write`. */
  begin(prelude: Prelude): void;
  /** Receives a chunk of the body. The next chunk follows after the promise has resolved. */
  write(chunk: Buffer): Promise<void>;
}

const receivers = new WeakMap<Writable, (prelude: Prelude) => void>();

/**
 * Creates the stream to which a function writes its response. The stream emits an error if the
 * function writes a body before the prelude (status and headers).
 */
export function responseStream(receiver: PreludeReceiver): Writable {
  let hasBegun = false;
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!hasBegun && chunk.length > 0) {
        done(
          new Error(
            "The function wrote a part of the body before the status of its response. Write the status first.",
          ),
        );
        return;
      }
      receiver.write(chunk).then(() => done(), done);
    },
  });
  receivers.set(stream, (prelude) => {
    hasBegun = true;
    receiver.begin(prelude);
  });
  return stream;
}

/**
 * The global `awslambda` of Lambda's Node.js runtime. Functions use `awslambda` while they are
 * imported, so it must exist before the import.
 */
const awslambda = {
  streamifyResponse: <Handler>(handler: Handler): Handler => handler,
  HttpResponseStream: {
    from(stream: Writable, prelude: unknown): Writable {
      receivers.get(stream)?.(v.parse(preludeSchema, prelude));
      return stream;
    },
  },
};

/** Defines the global `awslambda` of Lambda's runtime. Call it before you import functions. */
export function provideStreaming(): void {
  Object.assign(globalThis, { awslambda });
}
