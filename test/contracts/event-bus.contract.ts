import { expect, it } from "vitest";
import {
  batchBounds,
  type BusEntry,
  entryBytes,
  type EventBus,
} from "../../shared/event-bus/event-bus.ts";

/** An event bus, with functions that read its entries and make it fail. */
export interface OpenedBus {
  readonly bus: EventBus;
  /** The entries on the bus, in the order in which they arrived. */
  readonly arrived: () => Promise<readonly BusEntry[]>;
  /** Makes the bus refuse the entries at these positions of the next call. */
  readonly refuseNext: (positions: readonly number[]) => void;
}

const anEntry = (name: string, padding = ""): BusEntry => ({
  type: "watchlist.product.changed",
  createdAt: "2026-11-20T10:00:00.000Z",
  watchlistId: "wl_1",
  detail: JSON.stringify({ id: name, note: `café ☃ ${padding}` }),
});

/** Registers the tests that every event bus must pass. `open` is called in each test. */
export function eventBusContract(open: () => Promise<OpenedBus>): void {
  it("accepts a full batch, and does not change the bytes of its entries", async () => {
    const { bus, arrived } = await open();
    const entries = Array.from({ length: batchBounds.entriesMax }, (_, n) => anEntry(`evt_${n}`));

    const outcomes = await bus.put(entries);

    expect(outcomes).toEqual(entries.map(() => ({ outcome: "sent" })));
    expect(await arrived()).toEqual(entries);
  });

  it("accepts one entry of the maximum size", async () => {
    const { bus, arrived } = await open();
    const padding = "x".repeat(batchBounds.bytesMax - entryBytes(anEntry("evt_1")));
    const entry = anEntry("evt_1", padding);
    expect(entryBytes(entry)).toBe(batchBounds.bytesMax);

    expect(await bus.put([entry])).toEqual([{ outcome: "sent" }]);
    expect(await arrived()).toEqual([entry]);
  });

  it("reports the refused entries of a batch, and accepts the other entries", async () => {
    const { bus, arrived, refuseNext } = await open();
    const entries = ["evt_1", "evt_2", "evt_3"].map((name) => anEntry(name));
    refuseNext([1]);

    const outcomes = await bus.put(entries);

    expect(outcomes).toEqual([
      { outcome: "sent" },
      { outcome: "failed", reason: "InternalFailure" },
      { outcome: "sent" },
    ]);
    expect(await arrived()).toEqual([entries[0], entries[2]]);
  });

  it("reports a failure for every entry of a batch that is too large", async () => {
    const { bus, arrived } = await open();
    const entries = Array.from({ length: batchBounds.entriesMax + 1 }, (_, n) =>
      anEntry(`evt_${n}`),
    );

    const outcomes = await bus.put(entries);

    expect(outcomes).toEqual(
      entries.map(() => ({ outcome: "failed", reason: "ValidationException" })),
    );
    expect(await arrived()).toEqual([]);
  });
}
