const loopbackHosts: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Returns true if the host name of a URL is a loopback address, such as `localhost` or `127.0.0.1`.
 */
export const isLoopbackHost = (hostname: string): boolean => loopbackHosts.has(hostname);
