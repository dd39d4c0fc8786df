import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ApiClient } from "./client.ts";

export interface Session {
  readonly api: ApiClient;
  /** For calls that are shown to be copied. Never part of an address. */
  readonly key: string;
  /** True in the demo workspace, where nothing can be changed. */
  readonly demo: boolean;
  /** @param message the reason, if the user did not sign out */
  readonly signOut: (message?: string) => void;
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("Pages are shown to those who signed in.");
  return session;
}

export const useApi = (): ApiClient => useSession().api;

/** Why nothing can be changed in this session; undefined when it can. */
export const useReadOnlyReason = (): string | undefined =>
  useSession().demo
    ? "The demo workspace is read-only. Sign in with a key of your own."
    : undefined;

export const isDemoKey = (key: string): boolean => key.startsWith("svc_demo_");
