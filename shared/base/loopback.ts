const loopbackHosts: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Returns true for the host name of a URL that is an address of this machine. */
export const isLoopbackHost = (hostname: string): boolean => loopbackHosts.has(hostname);
