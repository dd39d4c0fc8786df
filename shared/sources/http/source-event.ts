import type { SourceReply } from "./source-client.ts";

/** What happened between this service and a source. Never holds an address, a header or a body. */
export type SourceEvent =
  | {
      readonly kind: "call";
      readonly reply: SourceReply["kind"];
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
