import { useMemo, useRef, useState } from "preact/hooks";
import { apiClient } from "./api/client.ts";
import { findPage } from "./pages/pages.ts";
import { type Session, SessionContext, isDemoKey } from "./api/session.ts";
import { SignIn } from "./session/sign-in.tsx";
import { storedKey } from "./session/stored-key.ts";
import { Shell } from "./shell/shell.tsx";
import { ToastRegion } from "./ui/toast.tsx";

/** Shows the sign-in form, or the pages of the signed-in user. */
export function App() {
  const [key, setKey] = useState(() => storedKey.read());
  const [message, setMessage] = useState<string>();
  const current = useRef(key);
  current.current = key;
  const session = useMemo<Session | undefined>(() => {
    if (key === undefined) return undefined;
    const signOut = (why?: string): void => {
      storedKey.clear();
      setMessage(why);
      setKey(undefined);
    };
    const onUnauthorized = (): void => {
      // A late response to a call of an earlier session must not end the current session.
      if (current.current !== key) return;
      signOut("Your key no longer works. It was revoked, or its account was deleted.");
    };
    return { key, demo: isDemoKey(key), signOut, api: apiClient({ key, onUnauthorized }) };
  }, [key]);
  if (session === undefined) {
    const enter = (accepted: string): void => {
      storedKey.write(accepted);
      setMessage(undefined);
      setKey(accepted);
    };
    return <SignIn message={message} onKey={enter} />;
  }
  return (
    <SessionContext.Provider value={session}>
      <ToastRegion>
        <Shell findPage={findPage} />
      </ToastRegion>
    </SessionContext.Provider>
  );
}
