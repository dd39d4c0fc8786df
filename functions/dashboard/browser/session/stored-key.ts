/**
 * The name under which `sessionStorage` holds the API key. The browser deletes the key when the tab
 * is closed. The key is never in an address or a cookie.
 */
const name = "dashboard.key";

export const storedKey = {
  read(): string | undefined {
    return attempt(() => sessionStorage.getItem(name) ?? undefined);
  },
  write(key: string): void {
    attempt(() => sessionStorage.setItem(name, key));
  },
  clear(): void {
    attempt(() => sessionStorage.removeItem(name));
  },
};

/**
 * Returns the result of `work`, or undefined if the browser refuses access to its storage. The key
 * then exists only in memory.
 */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
