/** One signed POST to a receiver. */
export interface OutgoingRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Why there is no response. Stable codes, shown in the delivery log. */
export type SendFailure =
  | "address_refused"
  | "name_not_resolved"
  | "connection_failed"
  | "tls_failed"
  | "connect_timeout"
  | "timeout";

export type SendResult =
  | {
      readonly outcome: "answered";
      readonly status: number;
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

/** Connections to one receiver, which stay open between deliveries. */
export interface ReceiverConnection {
  /** Sends a request. Returns failures of the receiver; never throws for them. */
  send(request: OutgoingRequest): Promise<SendResult>;
  close(): void;
}

/**
 * Connects to receivers: public addresses only, no redirects, 5 s to connect and 15 s in total.
 * Receivers do not share connections.
 */
export interface Sender {
  /** Creates the connection. The first delivery connects. */
  connect(url: string): ReceiverConnection;
}
