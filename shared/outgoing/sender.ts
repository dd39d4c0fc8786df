/** One signed POST to a receiver. */
export interface OutgoingRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Reason why a delivery attempt has no response. The codes never change, and the delivery log
 * contains them.
 */
export type SendFailure =
  | "address_refused"
  | "name_not_resolved"
  | "connection_failed"
  | "tls_failed"
  | "connect_timeout"
  | "timeout";

/** The result of a delivery attempt: the response, or the reason why there is none. */
export type SendResult =
  | {
      readonly outcome: "answered";
      readonly status: number;
      /** The `Retry-After` header of the response, unparsed; null if it has none. */
      readonly retryAfter: string | null;
      /** Start of the response body, at most 16 KiB. */
      readonly body: Uint8Array;
      readonly durationMs: number;
    }
  | {
      readonly outcome: "failed";
      readonly error: SendFailure;
      /** True if the receiver may have received the request. */
      readonly sent: boolean;
      readonly durationMs: number;
    };

/** Connections to one receiver. They stay open between deliveries. */
export interface ReceiverConnection {
  /** Sends a request. A failure of the receiver is a result, and is never thrown. */
  send(request: OutgoingRequest): Promise<SendResult>;
  close(): void;
}

/**
 * Connects to receivers, at public addresses only. Does not follow redirects. Limits: 5 s to
 * connect and 15 s in total. Receivers do not share connections.
 */
export interface Sender {
  /**
   * Creates a connection to the receiver at `url`. The first request opens a socket.
   * @param atOnce maximum number of concurrent requests; each uses a separate socket
   */
  connect(url: string, atOnce: number): ReceiverConnection;
}
