/** What happened in a call to a source, for logs and metrics. Has no URL, header or body. */
export type SourceEvent =
  | {
      readonly kind: "call";
      /**
       * The result in one word: the class of the status (such as `2xx`), the error code of a failed
       * connection (such as `ECONNREFUSED` or `timeout`), or the `kind` of the reply.
       */
      readonly reply: string;
      /**
       * "yes" if the source responded, even with a refusal; "busy" if it only asked to retry later;
       * "no" if it did not respond, or responded with status 500 or higher.
       */
      readonly responded: "yes" | "busy" | "no";
      /** The duration of the call with its tries and waits. */
      readonly milliseconds: number;
      /**
       * The number of tries. 0 if the circuit was open, or no try could start before the deadline.
       */
      readonly tries: number;
      /** The number of tries for which the source returned 429. */
      readonly throttled: number;
    }
  | { readonly kind: "circuit_opened" };

/** Receives the events of one source. */
export type NoteEvent = (event: SourceEvent) => void;
