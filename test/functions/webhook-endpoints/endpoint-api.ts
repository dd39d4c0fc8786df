import { Logger } from "@aws-lambda-powertools/logger";
import { type GenericSchema, parse } from "valibot";
import { expect } from "vitest";
import { groupHandler } from "../../../functions/http/group-handler.ts";
import { endpointRoutes } from "../../../functions/webhook-endpoints/handler.ts";
import type { EndpointDependencies } from "../../../functions/webhook-endpoints/dependencies.ts";
import type { DeliveryWorld } from "../../support/delivery-world.ts";
import { admittedAccounts, type Answer, groupCaller } from "../../support/group-api.ts";

export type { Answer } from "../../support/group-api.ts";

/**
 * Serves the webhook routes from a world's tables. `call` makes a call as the gateway does.
 * `warnings` contains the messages of the logged warnings.
 */
export function endpointApi(world: DeliveryWorld, replaced: Partial<EndpointDependencies> = {}) {
  const { registering, webhooks, outbox, publishing } = world;
  const warnings: string[] = [];
  const { accounts, keyOf } = admittedAccounts();
  const handler = groupHandler({
    group: "webhook-endpoints",
    routes: endpointRoutes,
    dependencies: {
      ...registering,
      deliveries: webhooks.deliveries,
      sender: webhooks.sender,
      outbox,
      queue: publishing.queue,
      warn: (message: string) => void warnings.push(message),
      logger: new Logger(),
      accounts,
      ...replaced,
    },
  });
  return { call: groupCaller(handler, keyOf), warnings };
}

export type EndpointApi = ReturnType<typeof endpointApi>;

/** Checks that a body matches the schema and has no other fields. */
export function expectShape(schema: GenericSchema, { body }: Answer): void {
  expect(parse(schema, body)).toEqual(body);
}

/** The status and the error of an answer, without the message. */
export const refusal = ({ status, body }: Answer) => {
  const { code, param } = body["error"] as { code: string; param?: string };
  return { status, code, ...(param === undefined ? {} : { param }) };
};

export const invalid = (param: string) => ({ status: 400, code: "INVALID_PARAM", param });
export const notFound = { status: 404, code: "NOT_FOUND" };
export const conflict = { status: 409, code: "CONFLICT" };
