/** What happened between this service and a source. Never holds an address, a header or a body. */
export type SourceEvent =
  | {
      readonly kind: "call";
      /**
       * What it came to in one word: the class of the answer's status (`2xx` to `5xx`), the code of
       * the error that kept an answer away (`ECONNREFUSED`, `timeout`), or the kind of reply.
       */
      readonly reply: string;
      /**
       * Whether the source itself spoke, be it to say no; `busy` when all it said was to come back
       * later.
       */
      readonly spoke: "yes" | "busy" | "no";
      /** From the moment the call was wanted, waits included. */
      readonly milliseconds: number;
      /** 0 when there was no time, or no leave, for any. */
      readonly tries: number;
      /** Tries that the source answered with 429. */
      readonly throttled: number;
    }
  | { readonly kind: "circuit_opened" };

/** Where the events of one source go. */
export type NoteEvent = (event: SourceEvent) => void;
