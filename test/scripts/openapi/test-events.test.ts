import * as v from "valibot";
import { expect, it } from "vitest";
import { eventSchemas } from "../../../scripts/openapi/event-schema.ts";
import { eventTypes } from "../../../shared/events/event.ts";
import { sampleData } from "../../../shared/webhooks/sample-events.ts";

it.each(eventTypes)("a test event of the type %s has the documented form", (type) => {
  const at = "2026-11-28T08:00:00.000Z";
  const event = {
    id: "evt_1",
    type,
    created_at: at,
    data: sampleData({ type, at, endpointId: "we_1" }),
  };
  expect(v.safeParse(eventSchemas[type], event)).toEqual({
    typed: true,
    success: true,
    output: event,
    issues: undefined,
  });
});
