/** Creates the dependencies of the delivery worker. */
import { deliveryWrite } from "../../shared/aws/deliveries/delivery-store.ts";
import { exportLogWrite } from "../../shared/aws/exports/export-log.ts";
import { dynamoOutboxStore } from "../../shared/aws/deliveries/outbox-store.ts";
import type { Write } from "../../shared/aws/deliveries/outbox-writes.ts";
import { cacheRoleCredentials } from "../../shared/aws/exports/cached-role-credentials.ts";
import { recordMetrics } from "../../shared/observability/work-log.ts";
import { busSessions } from "../../shared/event-bus/bus-session.ts";
import { exportSessions } from "../../shared/exports/export-session.ts";
import type { OutboxStore } from "../../shared/outbox/outbox.ts";
import { webhookSessions } from "../../shared/webhooks/webhook-session.ts";
import {
  deliveries,
  destinations,
  endpointStore,
  exportLog,
  type DeliveriesNeeds,
  deliveriesTable,
  type DeliveryTargetNeeds,
} from "./delivery-stores.ts";
import { dynamo, logger } from "./process.ts";
import { sender } from "./sender.ts";
import type { Needs } from "../environment.ts";
import { eventBus } from "./on-first-use/event-bus.ts";
import { feedSources } from "./events.ts";
import { customerBuckets, roleCredentials } from "./on-first-use/customer-buckets.ts";
import { outboxQueue } from "./on-first-use/queues.ts";
import { secretBox } from "./on-first-use/secret-box.ts";
import { type Overrides, timeAndRandom } from "./overrides.ts";

/**
 * Creates the store of the delivery targets' outboxes. `write` returns the database write that
 * records an attempt in the delivery log or the export log.
 */
const outboxStore = <LogRecord>(
  environment: DeliveriesNeeds,
  overrides: Overrides,
  write: (table: string, accountId: string, record: LogRecord) => Write,
): OutboxStore<LogRecord> =>
  dynamoOutboxStore<LogRecord>(dynamo(overrides), {
    ...deliveriesTable(environment, overrides),
    recordWrite: (accountId, record) => write(environment.DELIVERIES_TABLE, accountId, record),
  });

/**
 * Throws an Error, because a delivery to the event bus must not be logged. The event bus has no
 * log: its outbox entries store the progress of its deliveries.
 */
function noLog(): never {
  throw new Error(
    "The event bus has no delivery log, so a delivery to the bus cannot be logged. Store the progress of the delivery in its outbox entry.",
  );
}

/**
 * Creates the dependencies of the delivery worker, for webhooks, exports and the event bus.
 * @param environment names and URLs of the tables, queue, bucket, bus and API of the deployment
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const deliveryDependencies = (
  environment: DeliveryTargetNeeds &
    Needs<"STAGE" | "EVENTS_BUCKET" | "EVENT_BUS_NAME" | "API_URL">,
  overrides: Overrides,
) => {
  const shared = {
    ...feedSources(environment, overrides),
    secrets: secretBox(environment, overrides),
    queue: outboxQueue(environment, overrides),
    ...timeAndRandom(overrides),
    report: recordMetrics,
  };
  const open = webhookSessions({
    ...shared,
    endpoints: endpointStore(environment, overrides),
    deliveries: deliveries(environment, overrides),
    sender: sender(overrides),
  });
  const exportOutbox = outboxStore(environment, overrides, exportLogWrite);
  const openExports = exportSessions({
    ...shared,
    destinations: destinations(environment, overrides),
    exports: exportLog(environment, overrides),
    buckets: customerBuckets(overrides, { isCheck: false }),
    roles: cacheRoleCredentials(roleCredentials(overrides), shared.clock),
    outbox: exportOutbox,
  });
  const log = logger(environment, "delivery");
  const openBus = busSessions({
    ...shared,
    bus: eventBus(environment, overrides),
    apiUrl: environment.API_URL,
    warn: (message) => log.warn(message),
  });
  return {
    webhooks: { ...shared, open, outbox: outboxStore(environment, overrides, deliveryWrite) },
    exports: { ...shared, open: openExports, outbox: exportOutbox },
    bus: { ...shared, open: openBus, outbox: outboxStore(environment, overrides, noLog) },
  };
};
