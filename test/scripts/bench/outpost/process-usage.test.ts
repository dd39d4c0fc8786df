import { describe, expect, it } from "vitest";
import {
  cpuMsOf,
  cpuTicksIn,
  peakMegabytesIn,
  peakMegabytesOf,
} from "../../../../scripts/bench/outpost/process-usage.ts";

const rest = "20 0 9 0 4411 1265000000 12000 18446744073709551615";

describe("the CPU time of a process", () => {
  it("is the sum of the user and system times of the process and of its ended children", () => {
    const stat = `117 (outpost-server) S 1 117 117 0 -1 4194560 900 0 0 0 250 40 7 3 ${rest}\n`;
    expect(cpuTicksIn(stat)).toBe(300);
  });

  it("is read correctly if the name of the program contains spaces and parentheses", () => {
    const stat = `117 (a) b (c) S 1 117 117 0 -1 4194560 900 0 0 0 1 2 3 4 ${rest}\n`;
    expect(cpuTicksIn(stat)).toBe(10);
  });

  it.each(["", "117 (go) S 1 117"])("cannot be read from the invalid stat line %j", (stat) => {
    expect(() => cpuTicksIn(stat)).toThrow("must have the CPU times in its fields 14 to 17");
  });

  it.runIf(process.platform === "linux")("of this process is a positive number", () => {
    expect(cpuMsOf(process.pid)).toBeGreaterThan(0);
  });
});

describe("the peak memory of a process", () => {
  it("is the value of VmHWM in megabytes of 1,000,000 bytes", () => {
    const status = "Name:\toutpost\nVmPeak:\t 1300000 kB\nVmHWM:\t   62500 kB\nVmRSS:\t 50000 kB\n";
    expect(peakMegabytesIn(status)).toBe(64);
  });

  it("cannot be read from a status file without the line VmHWM", () => {
    expect(() => peakMegabytesIn("Name:\tkthreadd\n")).toThrow("must have a line VmHWM");
  });

  it.runIf(process.platform === "linux")("of this process is more than 10 MB", () => {
    expect(peakMegabytesOf(process.pid)).toBeGreaterThan(10);
  });
});
