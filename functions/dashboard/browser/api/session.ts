import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ApiClient } from "./client.ts";

export interface Session {
  readonly api: ApiClient;
  /** The API key, for the example calls that a user can copy. It must not become part of a URL. */
  readonly key: string;
  /** True in the demo workspace, which is read-only. */
  readonly demo: boolean;
  /**
   * Ends the session.
   * @param message shows the user why the session ended; absent if the user chose to sign out
   */
  readonly signOut: (message?: string) => void;
}

export const SessionContext = createContext<Session | undefined>(undefined);

/**
 * Returns the session of the signed-in user.
 * @throws Error if the component is outside a SessionContext
 */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined)
    throw new Error("useSession requires a SessionContext: no user is signed in.");
  return session;
}

/** Returns the API client of the session. */
export const useApi = (): ApiClient => useSession().api;

/** Returns the reason why the session is read-only; undefined if the user may make changes. */
export const useReadOnlyReason = (): string | undefined =>
  useSession().demo
    ? "The demo workspace is read-only. Sign in with your own key to make changes."
    : undefined;

/** Returns true for an API key of a demo workspace. */
export const isDemoKey = (key: string): boolean => key.startsWith("svc_demo_");
