/** Creates the stores in the deliveries table. */
import { dynamoDeliveryStore } from "../../shared/aws/deliveries/delivery-store.ts";
import { dynamoDueTargets } from "../../shared/aws/deliveries/due-targets.ts";
import {
  dynamoEndpointStore,
  dynamoEndpoints,
} from "../../shared/aws/deliveries/endpoint-store.ts";
import { dynamoOutbox } from "../../shared/aws/deliveries/outbox.ts";
import { dynamoDestinationStore } from "../../shared/aws/exports/destination-store.ts";
import { dynamoExportStore } from "../../shared/aws/exports/export-store.ts";
import type { DueTargets, Outbox } from "../../shared/outbox/outbox.ts";
import type { DeliveryStore } from "../../shared/webhooks/delivery-store.ts";
import type { EndpointLookup } from "../../shared/webhooks/endpoint-store.ts";
import type { Needs } from "../environment.ts";
import { type Overrides, timeAndRandom } from "./overrides.ts";
import { dynamo } from "./process.ts";

export type DeliveriesNeeds = Needs<"DELIVERIES_TABLE">;
export type DeliveryTargetNeeds = DeliveriesNeeds &
  Needs<"DELIVERIES_QUEUE_URL" | "SECRETS_KEY_ID">;

/**
 * Returns the options of a store in the deliveries table: its name, the clock and the random
 * source.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const deliveriesTable = (environment: DeliveriesNeeds, overrides: Overrides) => ({
  tableName: environment.DELIVERIES_TABLE,
  ...timeAndRandom(overrides),
});

/**
 * Creates the port that adds entries to outboxes and makes delivery targets due.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const outbox = (environment: DeliveriesNeeds, overrides: Overrides): Outbox =>
  dynamoOutbox(dynamo(overrides), deliveriesTable(environment, overrides));

/**
 * Creates the reader of delivery targets that are due.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const dueTargets = (environment: DeliveriesNeeds, overrides: Overrides): DueTargets =>
  dynamoDueTargets(dynamo(overrides), environment.DELIVERIES_TABLE);

/**
 * Creates a reader of webhook endpoints. `endpointStore` can also change them.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const endpoints = (environment: DeliveriesNeeds, overrides: Overrides): EndpointLookup =>
  dynamoEndpoints(dynamo(overrides), deliveriesTable(environment, overrides));

/**
 * Creates the store that reads and changes webhook endpoints.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const endpointStore = (environment: DeliveriesNeeds, overrides: Overrides) =>
  dynamoEndpointStore(dynamo(overrides), deliveriesTable(environment, overrides));

/**
 * Creates the store of the delivery log.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const deliveries = (environment: DeliveriesNeeds, overrides: Overrides): DeliveryStore =>
  dynamoDeliveryStore(dynamo(overrides), deliveriesTable(environment, overrides));

/**
 * Creates the store of S3 destinations.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const destinations = (environment: DeliveriesNeeds, overrides: Overrides) =>
  dynamoDestinationStore(dynamo(overrides), deliveriesTable(environment, overrides));

/**
 * Creates the store of the export log.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const exportLog = (environment: DeliveriesNeeds, overrides: Overrides) =>
  dynamoExportStore(dynamo(overrides), environment.DELIVERIES_TABLE);
