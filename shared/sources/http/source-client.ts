type Headers = Readonly<Record<string, string>>;

/** One call to a source. */
export interface SourceCall {
  readonly method: "GET" | "POST";
  /** May carry a secret: it never reaches a log or an error. */
  readonly url: URL;
  /** Made for each try where they have to be new. */
  readonly headers?: Headers | (() => Headers);
  /**
   * JSON or another text, sent as UTF-8. Where it says how long there is, it is made for each try, of
   * the whole milliseconds that this try may take.
   */
  readonly body?: string | ((leftMs: number) => string);
  /**
   * Milliseconds from the start of each of its tries to that of the next call to the source,
   * whichever process makes that.
   * @default 0 - as the source's rate allows
   */
  readonly gapMs?: number;
}

/** What a call came to, after its retries. Holds nothing of the address. */
export type SourceReply =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** Decompressed. */
      readonly body: Uint8Array;
      /** Response headers by lower-case name. */
      readonly headers: ReadonlyMap<string, string>;
    }
  /** No whole answer: no connection, cut off, or not in time. */
  | { readonly kind: "broken" }
  /** The answer is longer than anything this source could have to say. */
  | { readonly kind: "too_large" }
  /** The deadline was too near to try, or to try again. */
  | { readonly kind: "no_time" }
  /** The source has been turning calls away: it is left alone for a while. */
  | { readonly kind: "circuit_open" };

/**
 * Calls one source within what it allows: so many calls at once and a second (the rate is shared by
 * every process of the service), one deadline, retries of what may pass. Never throws for what a
 * source does. Redirects are not followed.
 */
export interface SourceClient {
  send(call: SourceCall, deadline: Date): Promise<SourceReply>;
}
