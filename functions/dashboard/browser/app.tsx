import { useMemo, useRef, useState } from "preact/hooks";
import { apiClient } from "./api/client.ts";
import { findPage } from "./pages/pages.ts";
import { type Session, SessionContext, type SignedInKey, isDemoKey } from "./api/session.ts";
import { SignIn } from "./session/sign-in.tsx";
import { storedSession } from "./session/stored-session.ts";
import { Shell } from "./shell/shell.tsx";
import { ToastRegion } from "./ui/toast.tsx";

/** Shows the sign-in form, or the pages of the signed-in user. */
export function App() {
  const [signedIn, setSignedIn] = useState(() => storedSession.read());
  const [message, setMessage] = useState<string>();
  const current = useRef(signedIn);
  current.current = signedIn;
  const session = useMemo<Session | undefined>(() => {
    if (signedIn === undefined) return undefined;
    const { key } = signedIn;
    const signOut = (why?: string): void => {
      storedSession.clear();
      setMessage(why);
      setSignedIn(undefined);
    };
    const onUnauthorized = (): void => {
      // A late response to a call of an earlier session must not end the current session.
      if (current.current !== signedIn) return;
      signOut("Your key no longer works. It was revoked, or its account was deleted.");
    };
    return { ...signedIn, demo: isDemoKey(key), signOut, api: apiClient({ key, onUnauthorized }) };
  }, [signedIn]);
  if (session === undefined) {
    const enter = (accepted: SignedInKey): void => {
      storedSession.write(accepted);
      setMessage(undefined);
      setSignedIn(accepted);
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
