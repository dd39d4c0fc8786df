type Headers = Readonly<Record<string, string>>;

/** One call to a source. */
export interface SourceCall {
  readonly method: "GET" | "POST";
  /** The URL of the call. It may contain a secret, so it must not appear in a log or an error. */
  readonly url: URL;
  /** Request headers. A function is called before each try. */
  readonly headers?: Headers | (() => Headers);
  /**
   * The request body: JSON or other text, sent in UTF-8. A function is called before each try, with
   * the time limit of the try in whole milliseconds.
   */
  readonly body?: string | ((leftMs: number) => string);
  /**
   * Minimum time from the start of each try to the next call to the source by any process, in
   * milliseconds.
   * @default 0, so that only the source's rate applies
   */
  readonly gapMs?: number;
}

/**
 * The result of a call after its retries. Never contains a part of the URL, which may contain a
 * secret.
 */
export type SourceReply =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** The body after decompression. */
      readonly body: Uint8Array;
      /** Response headers by lower-case name. */
      readonly headers: ReadonlyMap<string, string>;
    }
  /** No complete response: no connection, an aborted connection, or a timeout. */
  | { readonly kind: "broken" }
  /** The body of the response exceeds the size limit of the client. */
  | { readonly kind: "too_large" }
  /** The deadline was too close for a try or a retry. */
  | { readonly kind: "no_time" }
  /** The source refused earlier calls, so this call was not sent. */
  | { readonly kind: "circuit_open" };

/**
 * Calls one source. Limits the concurrent calls of this process, and the call rate of all processes
 * together. Retries a temporary failure at most twice, and only before the deadline. An error of
 * the source is a reply, never an exception. Does not follow redirects.
 */
export interface SourceClient {
  send(call: SourceCall, deadline: Date): Promise<SourceReply>;
}
