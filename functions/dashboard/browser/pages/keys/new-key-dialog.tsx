import { useId, useState } from "preact/hooks";
import type { ApiKeyWithKey } from "../../api/resources.ts";
import { type Scope, useSession } from "../../api/session.ts";
import { useAction } from "../../api/use-action.ts";
import { useSecretLeaveQuestion } from "../../ui/leaving.ts";
import { Button } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy-button.tsx";
import { CancelButton, Dialog } from "../../ui/dialog.tsx";
import { Checkbox, Field } from "../../ui/field.tsx";
import { Name } from "../../ui/name.tsx";
import { ErrorState, Notice } from "../../ui/states.tsx";

interface NewKeyDialogProps {
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

/** The scopes that a key can have, and what they allow. */
const scopeTexts: Readonly<Record<Scope, string>> = {
  read: "Read: show watchlists, items, history and the account",
  spend: "Spend: read products and offers, and start or change runs that charge credits",
  write: "Write: create, change and delete",
};

/**
 * Asks for a name and for scopes that the user's key has, and creates an API key. Then calls
 * `onCreated`, and shows the key, which the service returns only once. If the call fails, shows the
 * error. Calls `onClose` when the user closes the dialog.
 */
export function NewKeyDialog({ onCreated, onClose }: NewKeyDialogProps) {
  const { scopes: held } = useSession();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState(held);
  const [created, setCreated] = useState<ApiKeyWithKey>();
  const create = useAction((api, body: { name: string; scopes: readonly Scope[] }) =>
    api.send<ApiKeyWithKey>("POST", "api_keys", { body }),
  );
  useSecretLeaveQuestion(create.busy);
  const submit = async (): Promise<void> => {
    const key = await create.run({ name, scopes });
    if (key === undefined) return;
    setCreated(key);
    onCreated();
  };
  if (created !== undefined) return <CreatedKey apiKey={created} onClose={onClose} />;
  const { error } = create;
  const nameError = error?.param === "name" ? error.message : undefined;
  const scopesError =
    error?.param === "scopes" ? "Choose at least one scope for the key." : undefined;
  return (
    <Dialog title="New API key" busy={create.busy} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Field label="Name" hint="What the key is for, such as a server." error={nameError}>
          {(control) => (
            <input
              {...control}
              autocomplete="off"
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
        <ScopeChoice held={held} chosen={scopes} error={scopesError} onChange={setScopes} />
        {error && (nameError ?? scopesError) === undefined && <ErrorState error={error} />}
        <div class="dialog-actions">
          <CancelButton />
          <Button type="submit" variant="primary" busy={create.busy}>
            Create key
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ScopeChoiceProps {
  /** The scopes of the user's key. The new key can only get scopes that the user's key has. */
  readonly held: readonly Scope[];
  readonly chosen: readonly Scope[];
  readonly error: string | undefined;
  readonly onChange: (scopes: readonly Scope[]) => void;
}

function ScopeChoice({ held, chosen, error, onChange }: ScopeChoiceProps) {
  const id = useId();
  const toggle = (scope: Scope, checked: boolean): void =>
    onChange(held.filter((one) => (one === scope ? checked : chosen.includes(one))));
  return (
    <fieldset
      class="choice"
      aria-invalid={error === undefined ? undefined : "true"}
      aria-describedby={error === undefined ? undefined : id}
    >
      <legend>What calls with the key may do</legend>
      {held.map((scope) => (
        <Checkbox
          key={scope}
          label={scopeTexts[scope]}
          checked={chosen.includes(scope)}
          onChange={(checked) => toggle(scope, checked)}
        />
      ))}
      {error !== undefined && (
        <p id={id} class="field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function CreatedKey(props: { readonly apiKey: ApiKeyWithKey; readonly onClose: () => void }) {
  return (
    <Dialog
      title={
        <>
          Key “<Name>{props.apiKey.name}</Name>”
        </>
      }
      dismissable={false}
      onClose={props.onClose}
    >
      <Notice tone="warning">Copy the key now. It will not be shown again.</Notice>
      <Copyable text={props.apiKey.key} what="the key" />
      <div class="dialog-actions">
        <Button variant="primary" onClick={props.onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}
