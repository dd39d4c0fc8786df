import type { Destination } from "./destination.ts";

/** How the last export went, as the destination shows it. */
export type ExportReport =
  | { readonly outcome: "succeeded"; readonly at: Date }
  | { readonly outcome: "failed"; readonly error: string; readonly givenUp: boolean };

/** The one S3 destination of an account. */
export interface DestinationStore {
  get(accountId: string): Promise<Destination | null>;
  /** Keeps the destination in place of any other; a replaced one hands on its `createdAt`. */
  put(accountId: string, destination: Destination): Promise<"created" | "replaced">;
  /** Notes how an export went; without effect when there is no destination any more. */
  report(accountId: string, report: ExportReport): Promise<void>;
}
