type Headers = Readonly<Record<string, string>>;

/** One call to a source. */
export interface SourceCall {
  readonly method: "GET" | "POST";
  /** May contain a secret, so it must not reach a log or an error. */
  readonly url: URL;
  /** A function is called for each try. */
  readonly headers?: Headers | (() => Headers);
  /**
   * JSON or other text, sent as UTF-8. A function is called for each try, with the whole
   * milliseconds that the try may take.
   */
  readonly body?: string | ((leftMs: number) => string);
  /**
   * Milliseconds from the start of each try to the next call to the source, of any process.
   * @default 0 - only the source's rate applies
   */
  readonly gapMs?: number;
}

/** The result of a call after its retries. Contains nothing of the address. */
export type SourceReply =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** Decompressed. */
      readonly body: Uint8Array;
      /** Response headers by lower-case name. */
      readonly headers: ReadonlyMap<string, string>;
    }
  /** No complete answer: no connection, an aborted connection, or a timeout. */
  | { readonly kind: "broken" }
  /** The answer exceeds the size limit. */
  | { readonly kind: "too_large" }
  /** The deadline was too close for a try or a retry. */
  | { readonly kind: "no_time" }
  /** The source has refused calls, so no call is sent for a while. */
  | { readonly kind: "circuit_open" };

/**
 * Calls one source within its limits: concurrency, a rate that all processes share, one deadline,
 * and retries of temporary failures. Never throws for an error of the source. Does not follow
 * redirects.
 */
export interface SourceClient {
  send(call: SourceCall, deadline: Date): Promise<SourceReply>;
}
