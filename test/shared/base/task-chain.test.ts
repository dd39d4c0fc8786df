import { describe, expect, it } from "vitest";
import { taskChain } from "../../../shared/base/task-chain.ts";

describe("a chain of tasks", () => {
  it("runs one task after the other", async () => {
    const events: string[] = [];
    const chain = taskChain();
    const task = (name: string) => async (): Promise<void> => {
      events.push(`${name} begins`);
      await Promise.resolve();
      events.push(`${name} ends`);
    };
    void chain.add(task("first"));
    void chain.add(task("second"));
    await chain.done();
    expect(events).toEqual(["first begins", "first ends", "second begins", "second ends"]);
    expect(chain.hasFailed()).toBe(false);
  });

  it("starts no task after one has failed, and reports that failure", async () => {
    const events: string[] = [];
    const chain = taskChain();
    void chain.add(() => Promise.reject(new Error("no store")));
    const later = chain.add(async () => void events.push("later"));
    await expect(later).rejects.toThrow("no store");
    await expect(chain.done()).rejects.toThrow("no store");
    expect(chain.hasFailed()).toBe(true);
    expect(events).toEqual([]);
  });
});
