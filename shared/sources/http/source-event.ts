/** An event between the service and a source. Contains no address, header or body. */
export type SourceEvent =
  | {
      readonly kind: "call";
      /**
       * The result in one word: the class of the status (`2xx` to `5xx`), the error code of a
       * failed connection (`ECONNREFUSED`, `timeout`), or the kind of reply.
       */
      readonly reply: string;
      /**
       * Whether the source answered, even with a refusal; `busy` if it only asked to retry later.
       */
      readonly responded: "yes" | "busy" | "no";
      /** The duration of the call, including waits. */
      readonly milliseconds: number;
      /** 0 if no try was allowed or in time. */
      readonly tries: number;
      /** Tries that the source answered with 429. */
      readonly throttled: number;
    }
  | { readonly kind: "circuit_opened" };

/** Receives the events of one source. */
export type NoteEvent = (event: SourceEvent) => void;
