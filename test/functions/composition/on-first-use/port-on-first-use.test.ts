import { describe, expect, it, vi } from "vitest";
import { portOnFirstUse } from "../../../../functions/composition/on-first-use/port-on-first-use.ts";

class Adder {
  #total = 0;

  async add(first: number, second: number): Promise<number> {
    this.#total += first + second;
    return this.#total;
  }

  async total(): Promise<number> {
    return this.#total;
  }
}

describe("a port whose adapter loads on first use", () => {
  it("loads its adapter once, at the first call of a method", async () => {
    const load = vi.fn(async () => new Adder());
    const port = portOnFirstUse(load, ["add", "total"]);
    expect(load).not.toHaveBeenCalled();
    expect(await Promise.all([port.add(1, 2), port.add(3, 4)])).toEqual([3, 10]);
    expect(await port.total()).toBe(10);
    expect(load).toHaveBeenCalledOnce();
  });

  it("rejects each call with the error of an adapter that cannot be loaded", async () => {
    const port = portOnFirstUse(async (): Promise<Adder> => {
      throw new Error("no memory");
    }, ["add", "total"]);
    await expect(port.add(1, 2)).rejects.toThrow("no memory");
    await expect(port.total()).rejects.toThrow("no memory");
  });
});
