import type { ApiAnswer, ApiClient } from "../../../tools/customer/api-client.ts";
import type { CustomerBucketAccess } from "../../../tools/customer/bucket.ts";
import type { Delivery } from "../verify-delivery.ts";

/** An entry of a list, as the API returns it. */
export type Row = Readonly<Record<string, unknown>>;

/** The calls of the customer in a tour, made over plain HTTP or by one of the packaged clients. */
export interface TourClient extends ApiClient {
  /**
   * Returns the entries of all pages of a list.
   * @param path the path below `/v1` with its query, such as `/events?limit=2`
   */
  all(path: string): Promise<readonly Row[]>;
  /** What a packaged client does beyond single calls. Undefined for plain HTTP. */
  readonly library?: TourLibrary;
  close(): Promise<void>;
}

/** The functions of a packaged client that a tour uses in addition to single calls. */
export interface TourLibrary {
  /** The name of the client in the output of the tour. */
  readonly name: string;
  /** Reads products in as many calls as the platform requires. */
  readAll(platform: string, ids: readonly string[]): Promise<readonly Row[]>;
  /** Returns true if the client accepts the signature of a delivery. */
  accepts(delivery: Delivery, secrets: readonly string[]): Promise<boolean>;
  /** Returns the events of an export after the client has proven that the export is complete. */
  exported(bucket: CustomerBucketAccess, prefix: string): Promise<readonly Row[]>;
}

/** Creates a client with a key for the service at an address. */
export type ConnectTour = (baseUrl: string, apiKey: string) => TourClient;

/** An operation and its input, as a packaged client calls it. */
export interface OperationCall {
  /** The operation ID of the API reference. */
  readonly operation: string;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The calls of a packaged client, which each package implements differently. */
export interface PackagedCalls {
  /** Calls an operation. Returns error responses like any other response. */
  call(call: OperationCall): Promise<ApiAnswer>;
  /** Returns the entries of all pages of a list. */
  list(call: OperationCall): Promise<readonly Row[]>;
}
