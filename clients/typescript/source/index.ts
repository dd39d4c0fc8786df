export { Client } from "./client.ts";
export { ApiError, ConnectionError, TimeoutError } from "./errors.ts";
export type { Event, TailOptions } from "./events.ts";
export {
  ExportError,
  type ExportedRun,
  type ExportStore,
  type Manifest,
  readEvents,
  readRuns,
  readTables,
  type TableFile,
} from "./exports.ts";
export { folderStore } from "./folder-store.ts";
export type { ErrorCode } from "./generated/error-codes.ts";
export type * from "./generated/schemas.ts";
export { type Product, type ProductBatch, type ReadAllOptions } from "./products.ts";
export { s3Store, type S3StoreOptions } from "./s3-store.ts";
export type { TransportOptions } from "./transport.ts";
export { SignatureError, verifyWebhook, type WebhookEvent } from "./webhooks.ts";
