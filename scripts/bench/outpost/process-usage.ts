import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Returns the CPU time in the text of `/proc/<pid>/stat`, in clock ticks: user and system time of
 * the process, and of its ended children for which it waited.
 * @throws Error if the text has another format
 */
export function cpuTicksIn(stat: string): number {
  // The second field is the name of the program in parentheses. The name itself can contain spaces
  // and parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [utime, stime, cutime, cstime] = fields.slice(11, 15).map(Number);
  const ticks = (utime ?? NaN) + (stime ?? NaN) + (cutime ?? NaN) + (cstime ?? NaN);
  if (Number.isSafeInteger(ticks)) return ticks;
  throw new Error(
    `/proc/<pid>/stat must have the CPU times in its fields 14 to 17 (got "${stat.trim()}").`,
  );
}

/**
 * Returns the peak memory (VmHWM) in the text of `/proc/<pid>/status`, in megabytes of 1,000,000
 * bytes.
 * @throws Error if the text has no line `VmHWM`
 */
export function peakMegabytesIn(status: string): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  if (kibibytes !== undefined) return (Number(kibibytes) * 1_024) / 1e6;
  throw new Error("/proc/<pid>/status must have a line VmHWM. Use a Linux kernel that writes it.");
}

let ticksPerSecond: number | null = null;

/**
 * Returns the CPU time that a process has used since its start, in milliseconds. Its resolution is
 * one clock tick, usually 10 ms.
 * @throws Error if the process has ended
 */
export function cpuMsOf(pid: number): number {
  ticksPerSecond ??= Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  return (cpuTicksIn(readFileSync(`/proc/${pid}/stat`, "utf8")) / ticksPerSecond) * 1_000;
}

/**
 * Returns the peak memory of a process since its start, in megabytes.
 * @throws Error if the process has ended
 */
export const peakMegabytesOf = (pid: number): number =>
  peakMegabytesIn(readFileSync(`/proc/${pid}/status`, "utf8"));
