import { describe } from "vitest";
import { eventBusContract } from "../contracts/event-bus.contract.ts";
import { memoryEventBus } from "./memory-event-bus.ts";

describe("the event bus in memory", () => {
  eventBusContract(async () => {
    const bus = memoryEventBus();
    return {
      bus,
      arrived: async () => bus.entries,
      refuseNext(positions) {
        const next = bus.calls();
        bus.refuse((_, { call, position }) =>
          call === next && positions.includes(position) ? "InternalFailure" : undefined,
        );
      },
    };
  });
});
