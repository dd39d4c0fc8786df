/** The result of one call to a source, for logs and metrics. It has no URL, header or body. */
export type SourceEvent =
  | {
      readonly kind: "call";
      /**
       * The result in one word, which is one of:
       * - the class of the status, such as `2xx`;
       * - the error code of a failed connection, such as `ECONNREFUSED` or `timeout`;
       * - the `kind` of the reply.
       */
      readonly reply: string;
      /**
       * "yes" if the source responded, even with a refusal; "busy" if it only requested a later
       * retry; "no" if it did not respond, or responded with status 500 or higher.
       */
      readonly responded: "yes" | "busy" | "no";
      /** Duration of the call with its tries and waits, in milliseconds. */
      readonly milliseconds: number;
      /**
       * Number of tries; 0 if the circuit was open, or if no try could start before the deadline.
       */
      readonly tries: number;
      /** The number of tries for which the source returned 429. */
      readonly throttled: number;
    }
  | { readonly kind: "circuit_opened" };

/** Receives the events of one source. */
export type NoteEvent = (event: SourceEvent) => void;
