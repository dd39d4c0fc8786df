/** Creates the dependencies of the routes for events. */
import { dynamoEventFeed } from "../../shared/aws/deliveries/event-feed.ts";
import type { EventFeed } from "../../shared/events/event-feed.ts";
import type { FeedSources } from "../../shared/events/feed-start.ts";
import type { Needs } from "../environment.ts";
import { deliveries, type DeliveriesNeeds, deliveriesTable, endpoints } from "./delivery-stores.ts";
import { dynamo } from "./process.ts";
import { eventBodies } from "./on-first-use/event-bodies.ts";
import { outboxQueue } from "./on-first-use/queues.ts";
import type { Overrides } from "./overrides.ts";

const eventFeed = (environment: DeliveriesNeeds, overrides: Overrides): EventFeed =>
  dynamoEventFeed(dynamo(overrides), deliveriesTable(environment, overrides));

/**
 * Creates the readers of the event feed and of the event bodies.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const feedSources = (
  environment: Needs<"DELIVERIES_TABLE" | "EVENTS_BUCKET">,
  overrides: Overrides,
): FeedSources => ({
  feed: eventFeed(environment, overrides),
  bodies: eventBodies(environment, overrides),
});

/**
 * Creates the dependencies of the calls of `/v1/events`.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const eventDependencies = (
  environment: DeliveriesNeeds & Needs<"EVENTS_BUCKET" | "DELIVERIES_QUEUE_URL">,
  overrides: Overrides,
) => ({
  ...feedSources(environment, overrides),
  endpoints: endpoints(environment, overrides),
  deliveries: deliveries(environment, overrides),
  queue: outboxQueue(environment, overrides),
});
