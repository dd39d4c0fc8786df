import { Writable } from "node:stream";
import * as v from "valibot";

const headerValue = v.union([v.string(), v.number(), v.boolean()]);

/** What comes before a body: of a streaming function's answer, the prelude of the protocol. */
export const preludeSchema = v.object({
  statusCode: v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(599)),
  headers: v.nullish(v.record(v.string(), headerValue)),
  multiValueHeaders: v.nullish(v.record(v.string(), v.array(headerValue))),
  cookies: v.nullish(v.array(v.string())),
});
export type Prelude = v.InferOutput<typeof preludeSchema>;

export interface PreludeReceiver {
  /** Status and headers are known; the body follows. */
  begin(prelude: Prelude): void;
  write(chunk: Buffer): Promise<void>;
}

const receivers = new WeakMap<Writable, (prelude: Prelude) => void>();

/** The stream that a function gets to write its answer to; body bytes need a prelude first. */
export function responseStream(receiver: PreludeReceiver): Writable {
  let begun = false;
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!begun && chunk.length > 0) {
        done(new Error("The function wrote a body before it gave a status"));
        return;
      }
      receiver.write(chunk).then(() => done(), done);
    },
  });
  receivers.set(stream, (prelude) => {
    begun = true;
    receiver.begin(prelude);
  });
  return stream;
}

/** What Node.js functions find as the global `awslambda`; must exist before they are imported. */
const awslambda = {
  streamifyResponse: <Handler>(handler: Handler): Handler => handler,
  HttpResponseStream: {
    from(stream: Writable, prelude: unknown): Writable {
      receivers.get(stream)?.(v.parse(preludeSchema, prelude));
      return stream;
    },
  },
};

export function provideStreaming(): void {
  Object.assign(globalThis, { awslambda });
}
