/** A crash at one port call, before or after the call takes effect. Calls are counted from 1. */
export interface CrashPoint {
  readonly call: number;
  readonly when: "before" | "after";
}

/** Simulates the crash of a process. */
export class ProcessDied extends Error {}

/** Creates wrappers of ports that throw `ProcessDied` once, at the call that the test chooses. */
export function crashingPorts(): {
  /** Returns wrappers of the ports, whose calls are counted. */
  watch<Ports extends Readonly<Record<string, object>>>(ports: Ports): Ports;
  /**
   * Runs `work` and counts its port calls. The port call at `crash` throws `ProcessDied`. None
   * throws if `crash` is undefined or `work` makes fewer calls.
   */
  during(crash: CrashPoint | undefined, work: () => Promise<void>): Promise<void>;
  /** Returns the number of port calls since the last `during` started. */
  calls: () => number;
} {
  let calls = 0;
  let crash: CrashPoint | undefined;

  const watched = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return (...args: unknown[]): unknown => {
          const result = (): unknown => Reflect.apply(method, target, args);
          calls += 1;
          if (crash?.call !== calls) return result();
          if (crash.when === "before") throw new ProcessDied();
          const done = result();
          return done instanceof Promise
            ? done.then(() => {
                throw new ProcessDied();
              })
            : done;
        };
      },
    });

  return {
    watch: <Ports extends Readonly<Record<string, object>>>(ports: Ports): Ports =>
      Object.fromEntries(
        Object.entries(ports).map(([name, port]) => [name, watched(port)]),
      ) as unknown as Ports,
    async during(point, work) {
      calls = 0;
      crash = point;
      try {
        await work();
      } finally {
        crash = undefined;
      }
    },
    calls: () => calls,
  };
}
