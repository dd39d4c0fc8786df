import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** The DynamoDB engine of a seed, and the table that the seed uses. */
export interface Stage {
  readonly endpoint: string;
  /** A client without faults, for the set-up and the checks. */
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  /**
   * Waits until `client` has no requests in progress. Call it after a reservation in the set-up:
   * the ledger may copy its journal after the reservation has returned, and the task scheduler does
   * not order the requests of the set-up.
   */
  idle(): Promise<void>;
}
