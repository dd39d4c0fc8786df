/** Creates the publisher of finished runs. */
import { dynamoPublications } from "../../shared/aws/publishing/publications.ts";
import type { RunEventPublisher } from "../../shared/events/publisher.ts";
import { runEventPublisher } from "../../shared/publishing/publish-run.ts";
import { itemSnapshots } from "../../shared/publishing/take-snapshot.ts";
import type { ItemSnapshots } from "../../shared/runs/item-snapshots.ts";
import type { Needs } from "../environment.ts";
import { deliveriesTable, destinations, endpoints } from "./delivery-stores.ts";
import { hasBus } from "./has-bus.ts";
import { dynamo } from "./process.ts";
import { eventBodies } from "./on-first-use/event-bodies.ts";
import { outboxQueue } from "./on-first-use/queues.ts";
import { type Overrides, random } from "./overrides.ts";
import { pages, runs } from "./watchlist-stores.ts";

/**
 * Creates the publisher of the events of finished runs.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const publisher = (
  environment: Needs<
    "DELIVERIES_TABLE" | "EVENTS_BUCKET" | "DELIVERIES_QUEUE_URL" | "EVENT_BUS_NAME"
  >,
  overrides: Overrides,
): RunEventPublisher =>
  runEventPublisher({
    bodies: eventBodies(environment, overrides),
    publications: dynamoPublications(dynamo(overrides), deliveriesTable(environment, overrides)),
    endpoints: endpoints(environment, overrides),
    destinations: destinations(environment, overrides),
    queue: outboxQueue(environment, overrides),
    hasBus: hasBus(environment),
  });

/**
 * Creates the writer of the snapshot files of runs.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const snapshots = (
  environment: Needs<"WATCHLISTS_TABLE" | "DELIVERIES_TABLE" | "EVENTS_BUCKET">,
  overrides: Overrides,
): ItemSnapshots =>
  itemSnapshots({
    destinations: destinations(environment, overrides),
    pages: pages(environment, overrides),
    runs: runs(environment, overrides),
    bodies: eventBodies(environment, overrides),
    random: random(overrides),
  });
