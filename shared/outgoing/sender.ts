/** One signed POST to a receiver. */
export interface OutgoingRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Why no answer came; stable codes, shown in the delivery log. */
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
      /** The beginning of the answer's body, at most 16 KiB. */
      readonly body: Uint8Array;
      readonly durationMs: number;
    }
  | {
      readonly outcome: "failed";
      readonly error: SendFailure;
      /** True when the request may have left: the receiver may have taken it. */
      readonly sent: boolean;
      readonly durationMs: number;
    };

/** A receiver, with connections of its own that stay open between deliveries. */
export interface ReceiverConnection {
  /** Never throws for what a receiver does. */
  send(request: OutgoingRequest): Promise<SendResult>;
  close(): void;
}

/**
 * Sends to addresses that customers chose: public ones only, no redirects, 5 s to connect and 15 s
 * in all. No two receivers share a connection.
 */
export interface Sender {
  /** Opens nothing yet: the first delivery does. */
  connect(url: string): ReceiverConnection;
}
