import { describe, expect, it } from "vitest";
import { eventsIn } from "../../../../scripts/bench/delivery/results.ts";
import { runsOf } from "../../../../scripts/bench/delivery/task.ts";
import { bodySizes } from "../../../../scripts/bench/outpost/measure.ts";
import { publicationOf } from "../../../../scripts/bench/outpost/outpost-api.ts";

const task = { to: "receiver", work: "publish", parallel: 4, round: 0 } as const;
const [small, large] = bodySizes(8);

describe("the events of the bench that compares the webhook deliveries of the service with those of Outpost", () => {
  it.each([
    [8, 8],
    [50, 52],
    [200, 200],
  ])("are, for a round of %i deliveries, %i events of each size", (deliveries, events) => {
    expect(bodySizes(deliveries).map(({ many }) => eventsIn({ ...task, ...many }))).toEqual([
      events,
      events,
    ]);
  });

  it.each([
    ["small", small, 1],
    ["large", large, 202],
  ])(
    "are, for a %s run that is delivered alone, one event of the run's size and one event of about 1 KB",
    async (_, size, kilobytes) => {
      const [run] = await runsOf({ ...task, ...(size?.alone ?? { runs: 1, items: 1 }) });
      const [changed = 0, completed, ...others] =
        run?.events.map(({ body }) => Buffer.byteLength(body) / 1_000) ?? [];
      expect(changed).toBeCloseTo(kilobytes, kilobytes > 100 ? -1 : 0);
      expect(completed).toBeCloseTo(1, 0);
      expect(others).toEqual([]);
    },
  );

  it("are published to Outpost with the body of the event as data", () => {
    const publication = publicationOf({ id: "evt_1", body: '{"type":"a","n":1.50}' }, "bench-1");
    expect(publication.toString()).toBe(
      '{"id":"evt_1","tenant_id":"bench-1","topic":"bench","data":{"type":"a","n":1.50}}',
    );
  });
});
