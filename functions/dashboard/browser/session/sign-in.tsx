import { useEffect, useState } from "preact/hooks";
import { apiErrorOf } from "../api/api-error.ts";
import { apiClient } from "../api/client.ts";
import type { Account } from "../api/resources.ts";
import type { SignedInKey } from "../api/session.ts";
import { ThemeToggle } from "../ui/theme-toggle.tsx";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Logo } from "../ui/icons.tsx";
import "./sign-in.css";

interface SignInProps {
  /** Why the last session ended; undefined if there is no reason to show. */
  readonly message: string | undefined;
  readonly onKey: (signedIn: SignedInKey) => void;
}

/** Shows the sign-in form. Calls `onKey` with a key that the service has accepted. */
export function SignIn({ message, onKey }: SignInProps) {
  const demoKey = useDemoKey();
  const [key, setKey] = useState("");
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState<"own" | "demo">();
  const attempt = async (tried: string, who: "own" | "demo"): Promise<void> => {
    if (tried === "") return setError("Enter an API key.");
    setBusy(who);
    const outcome = await trial(tried);
    if (typeof outcome !== "string") return onKey(outcome);
    setError(outcome);
    return setBusy(undefined);
  };
  useEffect(() => {
    document.title = "Sign in · Dashboard";
  }, []);
  return (
    <main class="sign-in">
      <Brand />
      <div class="sign-in-card">
        <h1>Sign in</h1>
        <p class="muted">
          Use an API key of your account. The browser deletes the key when you close this tab.
        </p>
        {message !== undefined && (
          <p class="notice notice-warning" role="status">
            {message}
          </p>
        )}
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void attempt(key.trim(), "own");
          }}
        >
          <Field label="API key" error={error} hint={<KeyHint />}>
            {(control) => (
              <input
                {...control}
                type="password"
                autocomplete="off"
                spellcheck={false}
                value={key}
                onInput={(event) => setKey(event.currentTarget.value)}
              />
            )}
          </Field>
          <Button type="submit" variant="primary" busy={busy === "own"} wide>
            Sign in
          </Button>
        </form>
        {demoKey !== undefined && (
          <DemoEntry busy={busy === "demo"} onEnter={() => void attempt(demoKey, "demo")} />
        )}
      </div>
      <p class="sign-in-foot">
        <a href="docs">API documentation</a>
        <ThemeToggle />
      </p>
    </main>
  );
}

const KeyHint = () => (
  <>
    Begins with <code>svc_live_</code>, or with <code>svc_demo_</code> for the demo workspace
  </>
);

const Brand = () => (
  <p class="sign-in-brand">
    <Logo />
    <span>Product data</span>
  </p>
);

function DemoEntry(props: { readonly busy: boolean; readonly onEnter: () => void }) {
  return (
    <>
      <p class="sign-in-or">or</p>
      <Button wide busy={props.busy} onClick={props.onEnter}>
        Look around the demo workspace
      </Button>
      <p class="sign-in-note muted small">Read-only, and no account is needed.</p>
    </>
  );
}

/** Reads the account with a key. Returns the accepted key, or the reason why it cannot be used. */
async function trial(key: string): Promise<SignedInKey | string> {
  if (!/^[\x21-\x7E]+$/.test(key))
    return "This is not an API key. Check for spaces or special characters.";
  try {
    const client = apiClient({ key, onUnauthorized: () => {} });
    const { api_key: called } = await client.get<Account>("account");
    return { key, scopes: called.scopes };
  } catch (thrown) {
    const { status, message } = apiErrorOf(thrown);
    return status === 401 ? "This key is unknown or was revoked. Use another key." : message;
  }
}

/**
 * Returns the key of the demo workspace; undefined while it is loading and if the deployment has
 * none.
 */
function useDemoKey(): string | undefined {
  const [key, setKey] = useState<string>();
  useEffect(() => {
    const controller = new AbortController();
    fetch("dashboard/config.json", { signal: controller.signal, credentials: "omit" })
      .then((response) => response.json())
      .then((config: { demo_api_key?: string | null }) => setKey(config.demo_api_key ?? undefined))
      // If the request fails, users can still sign in with their own key.
      .catch(() => {});
    return () => controller.abort();
  }, []);
  return key;
}
