import type { SignedInKey } from "../api/session.ts";

/**
 * The name under which `sessionStorage` holds the API key and its scopes. The scopes of a key never
 * change. The browser deletes the stored key when the tab is closed. The key is never in an address
 * or a cookie.
 */
const name = "dashboard.session";
/**
 * The name under which earlier releases stored a key. The dashboard deletes this stored key when it
 * starts.
 */
const earlierName = "dashboard.key";

/** The signed-in key in the storage of the browser tab. */
export const storedSession = {
  /** Returns the stored key; undefined if there is none, or if the browser refuses access. */
  read(): SignedInKey | undefined {
    return attempt(() => {
      sessionStorage.removeItem(earlierName);
      const stored = sessionStorage.getItem(name);
      if (stored === null) return undefined;
      const signedIn: Partial<SignedInKey> = JSON.parse(stored);
      const { key, scopes } = signedIn;
      return typeof key === "string" && Array.isArray(scopes) ? { key, scopes } : undefined;
    });
  },
  write(signedIn: SignedInKey): void {
    attempt(() => sessionStorage.setItem(name, JSON.stringify(signedIn)));
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
