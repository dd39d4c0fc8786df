import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ApiClient } from "./client.ts";
import type { ApiKey } from "./resources.ts";

/** What calls with an API key may do. */
export type Scope = ApiKey["scopes"][number];

/** An API key that the service has accepted. */
export interface SignedInKey {
  /** The API key, which the page shows in sample calls. The key must not become part of a URL. */
  readonly key: string;
  readonly scopes: readonly Scope[];
}

/** The signed-in user: the key, an API client with the key, and how to sign out. */
export interface Session extends SignedInKey {
  readonly api: ApiClient;
  /** True in the demo workspace, which is read-only. */
  readonly demo: boolean;
  /**
   * Ends the session, and shows the sign-in form.
   * @param message the reason to show to the user; absent if the user chose to sign out
   */
  readonly signOut: (message?: string) => void;
}

/** The session of the signed-in user; undefined outside the pages of a signed-in user. */
export const SessionContext = createContext<Session | undefined>(undefined);

/**
 * Returns the session of the signed-in user.
 * @throws Error if the component is outside a SessionContext
 */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined)
    throw new Error(
      "useSession was called outside a SessionContext. Render the component in the pages of a signed-in user.",
    );
  return session;
}

/** Returns the API client of the session. */
export const useApi = (): ApiClient => useSession().api;

/**
 * Returns the reason why the user cannot take an action that requires the scopes `needed`: the demo
 * workspace is read-only, or the key lacks a scope. Returns undefined if the user can.
 */
export function useRefusal(needed: readonly Scope[]): string | undefined {
  const { demo, scopes } = useSession();
  if (demo) return "The demo workspace is read-only. Sign in with your own key to do this.";
  const missing = needed.find((scope) => !scopes.includes(scope));
  return missing && `Your API key lacks the scope '${missing}'. Sign in with a key that has it.`;
}

/** Returns true for an API key of a demo workspace. */
export const isDemoKey = (key: string): boolean => key.startsWith("svc_demo_");
