/**
 * Starts a measurement. The returned function returns the CPU milliseconds that this process has
 * used since the start.
 */
export function cpuTimer(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}
